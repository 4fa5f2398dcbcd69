"""Before the MCP servers of any client: their results masked, framed, and small."""
