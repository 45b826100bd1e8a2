"""Pictures of SVG that move by themselves."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from coupling import Result
from docs.programs.readme_picture import PICTURE, write
from tests.support.systems.systems import pendulum

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def result() -> Result:
    """A pendulum of length 1 that falls for three seconds, the pin at the origin."""
    return pendulum().simulate(3.0, output_interval=0.01)


def values(element: ElementTree.Element, kind: str) -> np.ndarray:
    """Returns the values through which a transformation of a group runs."""
    (found,) = (each for each in element.findall(f"{SVG}animateTransform") if each.get("type") == kind)
    return np.array([each.split(",") for each in found.get("values", "").split(";")], dtype=float)


def test_a_body_moves_as_it_was_simulated(result: Result, tmp_path: Path) -> None:
    """Its frame goes round the pin on a circle, to a tenth of a pixel, and turns as its angle does, to a tenth of a degree, in as long as it took."""
    root = ElementTree.parse(result.animate(tmp_path / "swing.svg")).getroot()
    group = next(each for each in root.iter(f"{SVG}g") if each.find(f"{SVG}g") is not None)
    at, turned = values(group, "translate"), values(group.find(f"{SVG}g"), "rotate")[:, 0]  # type: ignore[arg-type]
    angle = np.interp(np.linspace(0, 3, len(at)), result.time, result["rod.theta"])
    assert turned == pytest.approx(-np.degrees(angle), abs=0.06)
    scale = np.ptp(at[:, 0]) / np.ptp(np.cos(angle))
    path = scale * np.transpose([np.cos(angle), -np.sin(angle)])
    assert at - at[0] == pytest.approx(path - path[0], abs=0.15)
    assert {each.get("dur") for each in root.iter(f"{SVG}animateTransform")} == {"3s"}


def test_there_is_no_program_in_it(result: Result, tmp_path: Path) -> None:
    """Nor any address; names are escaped; the same result gives the same bytes."""
    first, second = (result.animate(tmp_path / name, title="<script>").read_bytes() for name in ("a.svg", "b.svg"))
    text = first.decode()
    assert first == second and "<script" not in text and "&lt;script&gt;" in text
    assert re.findall(r'https?://[^"]*', text) == ["http://www.w3.org/2000/svg"]


def test_a_plot_has_a_cursor(result: Result, tmp_path: Path) -> None:
    """It runs from one side to the other; dots are where the curve is at that time."""
    root = ElementTree.parse(result.animate(tmp_path / "plot.svg", signals=["rod.theta"])).getroot()
    dot = next(each for each in root.iter(f"{SVG}circle") if len(each.findall(f"{SVG}animate")) == 2 and each.get("cx") is None)
    heights = np.array(dot.findall(f"{SVG}animate")[1].get("values", "").split(";"), dtype=float)
    angle = np.interp(np.linspace(0, 3, len(heights)), result.time, result["rod.theta"])
    scaled = (heights[0] - heights) / np.ptp(heights) * np.ptp(angle)
    assert scaled == pytest.approx(angle - angle[0], abs=0.01)
    assert "in rad" in [each.text for each in root.iter(f"{SVG}text")]


def test_a_signal_that_was_not_recorded_is_named(result: Result, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"signals: 'rod\.thera' was not recorded; did you mean 'rod\.theta'"):
        result.animate(tmp_path / "plot.svg", signals=["rod.thera"])


def numbers(text: str) -> np.ndarray:
    """All coordinates of a picture."""
    return np.array(re.findall(r"(?<![#\w.])-?\d+(?:\.\d+)?", text), dtype=float)


def test_the_picture_of_the_readme_is_written_again(tmp_path: Path) -> None:
    """It is what is kept, to 0.1 px, and below 100 kB."""
    write(tmp_path / "again.svg")
    kept, again = PICTURE.read_text(), (tmp_path / "again.svg").read_text()
    assert len(kept) < 100_000 and re.sub(r"[\d.-]+", "", kept) == re.sub(r"[\d.-]+", "", again)
    assert numbers(again) == pytest.approx(numbers(kept), abs=0.1 + 1e-9)
