"""Tokens, sentences, names, markdown structure and similarity of plain text."""
