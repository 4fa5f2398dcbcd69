"""`python -m summarizer_tool` is the `summarizer` command."""

from summarizer_tool.cli import main

main()
