"""The list of examples names all of them."""

from __future__ import annotations

import re

from docs.programs.examples_page import PAGE, page
from tests.support.systems.machines import EXAMPLES


def test_the_page_is_that_of_the_examples() -> None:
    """``make pages`` writes it."""
    assert PAGE.read_text() == page()


def test_the_page_names_each_example_once() -> None:
    linked = re.findall(r"^- \[.*?\]\((.*?)\): ", PAGE.read_text(), re.MULTILINE)
    programs = [*EXAMPLES.glob("[0-9]*.py"), *EXAMPLES.glob("families/*.py")]
    assert sorted(linked) == sorted(path.relative_to(EXAMPLES).as_posix() for path in programs)
