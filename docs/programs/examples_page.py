"""``examples/README.md``: each example in one line, by its docstring."""

from __future__ import annotations

import re

from docs.site.examples import EXAMPLES, text_of, titles

PAGE = EXAMPLES / "README.md"
HEAD = """# Examples

Each numbered example starts with the machine that it builds, runs and shows. The check against closed forms or published digits follows. `--out` names
the folder for plots and animations: `python examples/01_pendulum.py --out build/pendulum`. `make pages` writes this list.

"""
FAMILIES = """
## Families

Short examples, in which every component of the catalogue is used that no numbered example uses.

"""


def page() -> str:
    """Returns the page: the title of each example and the first sentence of its text, of a family the whole text."""
    rows = {
        name: f"- [{title}]({name}.py): {text_of(name) if '/' in name else _first_sentence(name)}\n" for name, title in titles().items()
    }
    numbered = "".join(row for name, row in rows.items() if "/" not in name)
    families = "".join(row for name, row in rows.items() if "/" in name)
    return HEAD + numbered + FAMILIES + families


def _first_sentence(name: str) -> str:
    return re.split(r"(?<=[.?])\s", re.sub(r"^1\\?\. ", "", text_of(name)))[0]


if __name__ == "__main__":
    PAGE.write_text(page())
