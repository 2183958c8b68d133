//! The project's database.
