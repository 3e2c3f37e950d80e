"""Retrieval: which tools a model is offered."""
