"""What a document, a chunk and a passage are."""
