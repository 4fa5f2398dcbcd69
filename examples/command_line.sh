#!/usr/bin/env bash
# Keep two pages in a store, ask them a question, and compress them for an extraction. Needs no key and no network.
# Run it where `summarizer` is on the PATH: bash examples/command_line.sh
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/crawl"
export LLM_MODEL=extractive
SUMMARIZER_STORE="$(mktemp -d)/sources.sqlite3"
export SUMMARIZER_STORE
trap 'rm -r "$(dirname "$SUMMARIZER_STORE")"' EXIT

summarizer add 04-factions.md 05-npcs.md                            # a line for each: handle, tokens, title
summarizer search "Who betrayed the Dykewardens?" --max-tokens 600  # the lines themselves, cited
summarizer run 04-factions.md --max-output-tokens 200 --schema-hint "factions, their seats and leaders"
