"""Verbatim evidence from stored sources: passages, search, answers with citations."""
