"""How chunks become one text within a budget: map, ground, reduce, fit."""
