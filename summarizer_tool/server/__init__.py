"""The MCP server, over streamable HTTP and stdio."""
