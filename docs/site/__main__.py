"""Builds the documentation site, without a network: ``python -m docs.site``. It ends with 1 if Sphinx warns or a link is dead."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from docs.site.gallery import moving_pictures
from docs.site.guides import drawings
from docs.site.links import dead_links
from docs.site.sources import put_together


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.site", description="The documentation site.")
    parser.add_argument("--out", type=Path, default=Path("build/site"), help="folder of the site (default: build/site)")
    parser.add_argument("--without-gallery", action="store_true", help="simulate no machines")
    chosen = parser.parse_args()
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        sys.exit('the site needs Sphinx: pip install -e ".[docs]"')
    work = chosen.out.with_name(f"{chosen.out.name}-work")
    pictures = [] if chosen.without_gallery else moving_pictures(work / "gallery")
    drawn = [] if chosen.without_gallery else drawings(work / "drawings")
    put_together(work / "source", pictures, drawn)
    settings = Path(__file__).parent
    failed = build_main(
        [
            "-W",
            "--keep-going",
            "-q",
            "-E",
            "-b",
            "html",
            "-d",
            str(work / "doctrees"),
            "-c",
            str(settings),
            str(work / "source"),
            str(chosen.out),
        ]
    )
    if failed:
        return 1
    for picture in pictures:
        picture.put_into(chosen.out / "gallery")
    for drawing in drawn:
        shutil.copy(drawing.file, chosen.out / "gallery")
    dead = list(dead_links(chosen.out))
    for each in dead:
        print(each, file=sys.stderr)
    pages = len(list(chosen.out.rglob("*.html")))
    print(f"{pages} pages in {chosen.out}, {len(dead)} dead links")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
