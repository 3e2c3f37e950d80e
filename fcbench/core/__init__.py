"""Core: JSON, schemas and all records. Nothing here reads a clock or the network; only `yaml12` and `published` touch files."""
