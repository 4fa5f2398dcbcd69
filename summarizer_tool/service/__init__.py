"""What can be asked for: the operations, each declared once, and what carries them out."""
