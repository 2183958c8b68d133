"""A small warehouse over several modules."""
