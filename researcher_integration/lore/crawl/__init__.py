"""Pages of a zone, each fetched once, and the agent that asks for them."""
