"""Core: JSON, schemas and all records.

Nothing here reads a clock, the environment or the network; only `yaml12.load_yaml` and `published` touch files.
"""
