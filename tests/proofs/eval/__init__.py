"""How good summaries are: what they keep, how they read, and what the gate lets through."""
