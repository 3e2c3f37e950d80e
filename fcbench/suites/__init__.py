"""Suites: the YAML format of cases, collections and subsets."""
