"""`python -m summarizer_tool.server` starts the MCP server."""

from summarizer_tool.server.main import main

if __name__ == '__main__':  # worker processes load this file, too
    main()
