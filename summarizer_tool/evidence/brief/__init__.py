"""What was found, written with sources and citations within a token budget."""
