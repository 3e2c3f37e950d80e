"""Execution packages: journal, seal, verify."""
