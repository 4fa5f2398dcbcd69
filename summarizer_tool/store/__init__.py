"""What is kept: sources, finished work, and the index of passages, in SQLite or Postgres."""
