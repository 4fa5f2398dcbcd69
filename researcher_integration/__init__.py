"""How agents use the summarizer: research agents, tool-result summarization, MCP selection."""
