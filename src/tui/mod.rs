//! The workbench on the screen.
