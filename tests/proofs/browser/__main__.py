"""`make browser-test`: every scene, with its goals; the exit code says whether all are met."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.proofs.browser.chromium import NoBrowserError, browser
from tests.proofs.load.goals import Goals


def main() -> None:
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.browser', description=__doc__)
    parser.add_argument('--pictures', type=Path, help='a folder for pictures of the pages')
    pictures: Path | None = parser.parse_args().pictures
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    goals = Goals()
    try:
        with browser() as opened, tempfile.TemporaryDirectory() as folder:
            from tests.proofs.browser.report_scenes import REPORT_SCENES
            from tests.proofs.browser.scenes import SCENES

            for scene in (*SCENES, *REPORT_SCENES):
                print(scene.__doc__)
                scene(opened, Path(folder), goals, pictures)
    except NoBrowserError as error:
        goals.skip('the pages', str(error))
    sys.exit(goals.report())


main()
