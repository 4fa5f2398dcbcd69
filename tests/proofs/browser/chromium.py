"""The browser that is installed, driven by playwright."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')


class NoBrowserError(Exception):
    """Nothing can be shown here; says what to install."""


@contextmanager
def browser() -> Generator['Browser']:  # pyright: ignore[reportUndefinedVariable]  # noqa: F821
    """A headless Chromium.

    Raises:
        NoBrowserError: If there is none, or nothing to drive it with.
    """
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise NoBrowserError(f'no browser: none of {", ".join(NAMES)} is installed; apt-get install chromium')
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise NoBrowserError('playwright is not installed; pip install playwright') from None
    with sync_playwright() as playwright:
        # In a container its own sandbox has not the rights that it needs.
        opened = playwright.chromium.launch(executable_path=path, args=['--no-sandbox'])
        try:
            yield opened
        finally:
            opened.close()
