"""What was found, written with sources and citations within a token budget."""

MIN_BUDGET = 500
"""Tokens below which there is no room for what is always there."""
