"""Exports to other formats."""
