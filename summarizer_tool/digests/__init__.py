"""What an agent needs of machine output, without a model."""
