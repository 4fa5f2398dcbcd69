"""Which model answers, and how it is asked one typed question."""
