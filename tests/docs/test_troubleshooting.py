"""The messages on the page of troubleshooting are those of the sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "troubleshooting.md"
SOURCES = [
    ROOT / "setup.py",
    *(path for folder in ("coupling", "fmu_components/export", "jourdain") for path in ROOT.glob(f"{folder}/**/*.py")),
]
GAP = "…"


def texts(path: Path) -> Iterator[str]:
    """Yields the texts of a file. Values in them are gaps."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else GAP for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def messages() -> list[str]:
    rows = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [row.strip() for row in rows]


def test_every_message_is_in_the_sources() -> None:
    said = "\n".join(text.replace("\n", " ") for path in SOURCES for text in texts(path))
    missing = [each for each in messages() if not re.search(".*".join(map(re.escape, each.split(GAP))), said)]
    assert len(messages()) > 50 and missing == []
