"""The lore researcher: pages of one zone in, a research package out."""
