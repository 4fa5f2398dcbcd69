"""`python -m summarizer_tool.server` starts the MCP server."""

from summarizer_tool.server.main import main

main()
