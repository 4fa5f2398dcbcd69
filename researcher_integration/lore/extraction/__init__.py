"""Typed records out of what was kept, verified against the pages."""
