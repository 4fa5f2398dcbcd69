"""The `lore-research` command, also as `python -m researcher_integration.lore`."""

import os
import sys

from summarizer_tool import ConfigurationError, naming_extra


def main() -> None:
    """Run the command line; without its extra, say which one it is."""
    os.environ.setdefault('PYDANTIC_AI_NO_BANNER', '1')  # it would stand among our progress
    try:
        with naming_extra('researcher'):
            from researcher_integration.lore.cli import main as command
    except ConfigurationError as error:
        sys.stderr.write(f'lore-research: {error}\n')
        sys.exit(2)
    command()


if __name__ == '__main__':
    main()
