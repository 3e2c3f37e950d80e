"""Tool contracts: load, lint, hash, lock and diff."""
