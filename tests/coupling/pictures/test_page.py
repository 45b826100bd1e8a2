"""A result as a page: one file, the same each time, and small."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from coupling import Result, System
from coupling.outcome import Ending, Outcome
from coupling.pictures.pack import unpack
from coupling.record import Column, Record
from coupling.rows_file import NO_STATISTICS
from tests.support.systems.systems import pendulum


def said(page: str) -> dict:
    """The scene in a page."""
    (text,) = re.findall(r'<script type="application/json" id="scene">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def many_bodies(bodies: int, rows: int, space: bool) -> Result:
    """Bodies with smooth motions of some harmonics each, and no FMU."""
    random, t = np.random.default_rng(7), np.linspace(0, 20, rows)

    def smooth() -> np.ndarray:
        return sum(
            a * np.sin(w * t + p) for a, w, p in zip(random.normal(size=4), random.uniform(0.3, 4, 4), random.uniform(0, 6, 4), strict=True)
        )

    names, data, frames, places, words = [], [], [], {}, []
    for k in range(bodies):
        pose = ["x", "y", "z", "q0", "q1", "q2", "q3"] if space else ["x", "y", "theta"]
        q = np.stack([smooth() for _ in pose])
        if space:
            q[3] += 6
            q[3:] /= np.linalg.norm(q[3:], axis=0)
        data += list(q)
        names += [f"b{k}.{name}" for name in pose]
        frames.append({"name": f"b{k}", "model": "Body", "dimension": 3 if space else 2, "pose": names[-len(pose) :]})
        places[f"b{k}.p1"] = {"frame": k, "at": [0.2, 0.0, 0.0][: 3 if space else 2]}
        words.append({"kind": "link", "of": f"b{k}", "ports": [f"b{k}.p1"]})
    scene = {"version": 1, "frames": frames, "places": places, "words": words, "forces": []}
    columns = tuple(Column(name, name.partition(".")[2], "m") for name in names)
    record = Record("many", columns, np.column_stack([t, *data]), NO_STATISTICS, scene=scene)
    return Result(record, Outcome(Ending.COMPLETED, "completed"))


def test_a_page_holds_the_poses(tmp_path: Path) -> None:
    """It unpacks the recorded columns within a millionth of their ranges; an ordinary machine takes less than 250 kB."""
    result = pendulum().simulate(2.0)
    page = result.animate(tmp_path / "pendulum.html", title="A pendulum").read_text()
    scene = said(page)
    (data,) = re.findall(r'id="data">(.*?)</script>', page)
    columns = unpack([(each["lo"], each["q"]) for each in scene["columns"]], data, scene["rows"])
    found = dict(zip([each["n"] for each in scene["columns"]], columns, strict=True))
    for name in ("rod.x", "rod.theta"):
        assert np.abs(found[name] - result[name]).max() <= 0.6e-6 * np.ptp(result[name])
    assert "<title>A pendulum</title>" in page and len(page) < 250_000
    assert scene["frames"][1]["name"] == "rod" and scene["told"] == "3 FMUs · completed at t = 2 s · dopri5"


def test_names_are_escaped_and_no_path_is_in_a_page(tmp_path: Path) -> None:
    """A name that would end a script, or begin one, is data; and nothing is loaded from anywhere."""
    bad = "</script><script>alert(1)</script>"
    system = System(bad)
    system.add("ground", "planar.Fixed")
    system.add("<b>rod", "planar.Body1", {"x": 1.0})
    page = system.simulate(0.2, output_interval=0.1).animate(tmp_path / "odd.html").read_text()
    assert "alert(1)</script>" not in page and "<b>rod" not in page
    assert said(page)["name"] == bad and said(page)["frames"][1]["name"] == "<b>rod"
    assert str(tmp_path) not in page and "/home" not in page and ".fmu" not in page
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", page) and "default-src 'none'" in page


@pytest.mark.parametrize(("space", "most"), [(False, 2e6), (True, 4e6)], ids=["plane", "space"])
def test_fifty_bodies_in_ten_thousand_rows(tmp_path: Path, space: bool, most: float) -> None:
    """The page stays within its limit, with every row."""
    page = many_bodies(50, 10_000, space).animate(tmp_path / "many.html")
    scene = said(page.read_text())
    assert page.stat().st_size <= most and scene["rows"] == 10_000
    assert (scene["t0"], scene["t1"]) == (0, 20)


def test_both_rows_of_an_event_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stay even if other rows are thinned out."""
    monkeypatch.setattr("coupling.pictures.page._LARGEST", 10_000)
    result = many_bodies(3, 3001, False)
    result._record.rows[1500, 0] = result._record.rows[1499, 0]
    page = Result(result._record, result.outcome).animate(tmp_path / "event.html").read_text()
    scene = said(page)
    (data,) = re.findall(r'id="data">(.*?)</script>', page)
    time = unpack([(each["lo"], each["q"]) for each in scene["columns"]], data, scene["rows"])[0]
    (event,) = scene["events"]
    assert scene["rows"] < 2000 and (np.abs(time - event) < 1e-4).sum() == 2
