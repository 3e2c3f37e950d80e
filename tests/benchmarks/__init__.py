"""Measurements, run by hand: `python -m tests.benchmarks [NAME ...]`. Never an assertion on time."""
