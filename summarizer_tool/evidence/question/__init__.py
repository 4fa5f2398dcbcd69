"""What is asked: the question, its parts, and how far one may go for it."""
