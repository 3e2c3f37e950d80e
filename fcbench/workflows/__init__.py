"""Use cases, one per module."""
