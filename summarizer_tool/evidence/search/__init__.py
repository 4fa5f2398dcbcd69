"""Which stored passages answer a question."""
