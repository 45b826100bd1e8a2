"""The page is what the tools do, and what it shows is run."""

from __future__ import annotations

import re
from importlib.util import find_spec

import numpy as np
import pytest

from docs.programs.interoperability_page import COMMAND, PAGE, interoperability_page, versions_of
from tests.support.interoperability.cases import README
from tests.support.interoperability.registry import MASTERS

# One worker: each run is made once, for the page and for the case.
pytestmark = pytest.mark.xdist_group("interoperability")


def _need_the_tools() -> None:
    """Skips without the extra peers. ecos is not imported here, since its library needs another one that the run loads before."""
    missing = sorted(each.module for each in MASTERS if find_spec(each.module) is None)
    if missing:
        pytest.skip(f"{', '.join(missing)} of the extra 'peers' is not installed")


@pytest.mark.slow  # its cases are tested one by one in test_cases.py
def test_the_page_is_up_to_date():
    """The versions with which it was written do not matter."""
    _need_the_tools()
    page = PAGE.read_text(encoding="utf-8")
    assert page == interoperability_page(versions_of(page)), f"run {COMMAND}"


def test_the_snippets_of_the_page_run(tmp_path, monkeypatch):
    """The pendulum is within a hundredth of a radian of the ideal one after a second, in every tool."""
    _need_the_tools()
    monkeypatch.chdir(tmp_path)
    scope: dict = {"__name__": "interoperability"}
    for number, snippet in enumerate(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)):
        exec(compile(snippet, f"{PAGE.name}, snippet {number + 1}", "exec"), scope)
    ideal = README.motion(np.array([0.0, 1.0]))["rod"].theta[-1]
    assert scope["angle"].keys() == {"FMPy", "ecos", "libcosim", "FMPy's container", "toolbox container", "Jourdain"}
    for tool, angle in scope["angle"].items():
        assert angle == pytest.approx(ideal, abs=0.01), tool
