"""Harnesses: a task and a provider make an attempt."""
