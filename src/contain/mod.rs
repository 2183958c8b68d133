//! The only way to run Python that is not the command the user typed.
