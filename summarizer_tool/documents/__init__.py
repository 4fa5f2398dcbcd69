"""Documents, chunks and passages: how text is represented and cut."""
