"""`python -m summarizer_tool` is the `summarizer` command."""

from summarizer_tool.cli.main import main

main()
