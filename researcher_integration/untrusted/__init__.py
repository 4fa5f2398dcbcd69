"""Somebody else's text for a model: in a frame that it cannot close, and marked where it addresses its reader."""
