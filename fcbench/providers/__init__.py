"""Providers: the only floor that speaks to models."""
