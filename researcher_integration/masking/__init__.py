"""Secrets, taken out of what tools return."""
