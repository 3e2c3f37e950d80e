"""Core: JSON, schemas and all records. It reads no file, clock or network."""
