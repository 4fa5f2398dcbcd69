"""What is fetched, and what may be."""
