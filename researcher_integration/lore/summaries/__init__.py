"""Who summarizes for a research: this process, or an MCP server."""
