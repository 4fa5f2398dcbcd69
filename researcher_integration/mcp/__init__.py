"""The MCP servers of an agent: which are offered, which one run has, and which search the web."""
