"""Web pages as text that a model can read: main content as markdown, links beside it."""
