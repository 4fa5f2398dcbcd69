"""The `summarizer` command, also as `python -m summarizer_tool`."""

import atexit
import gc
import os
import sys

from summarizer_tool.extras import MissingExtraError, naming_extra


def main() -> None:
    """Run the command line; without its extra, say which one it is."""
    # What a command loads stays: looking through it costs a tenth of its time, and once more where it ends.
    gc.disable()  # until the command is `loaded`
    gc.set_threshold(200_000, 20, 100)
    atexit.register(gc.freeze)
    os.environ.setdefault('PYDANTIC_AI_NO_BANNER', '1')  # it would stand among our progress
    # httpx does without its own command line, which would load all of rich.
    sys.modules.setdefault('httpx._main', None)  # pyright: ignore[reportArgumentType]
    if 'LOGFIRE_PYDANTIC_PLUGIN_RECORD' not in os.environ:
        # Without it the plugin records nothing, but it would load all of Logfire before an input is looked at.
        os.environ.setdefault('PYDANTIC_DISABLE_PLUGINS', '__all__')
    try:
        with naming_extra():
            from summarizer_tool.cli.main import main as command
        command()
    except MissingExtraError as error:
        sys.stderr.write(f'summarizer: {error}\n')
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == '__main__':
    main()
