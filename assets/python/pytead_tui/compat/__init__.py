"""What the predecessors' users import and their generated tests call. Nothing else of this package needs it."""
