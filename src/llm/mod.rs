//! Language models: providers and their streams.
