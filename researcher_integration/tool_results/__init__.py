"""Oversized tool results, masked, stored and replaced by what the conversation needs of them."""
