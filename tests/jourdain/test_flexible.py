"""``jourdain flexible``: an FMU from the file of a mesh."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fmpy import read_model_description

from coupling.fmus import load
from jourdain import write_mesh
from jourdain.command import main
from tests.support.flexible.meshes import brick
from tests.support.flexible.surfaces import skin


@pytest.fixture
def mesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a small brick, in the folder of the command."""
    monkeypatch.chdir(tmp_path)
    return write_mesh("bar.npz", *brick(counts=(3, 2, 2)), labels=range(1, 13), triangles=skin((3, 2, 2)))


def test_it_builds_an_fmu_of_the_mesh(mesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "flexible",
                "bar.npz",
                "--port",
                "a=nodes:1",
                "--basis",
                "free",
                "--shapes",
                "1",
                "--name",
                "Bar",
                "--out",
                "out/bar.fmu",
                "--json",
            ]
        )
        == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert said["written"] == "out/bar.fmu" and said["mass"] == pytest.approx(5.46, rel=1e-3) and len(said["frequencies"]) == 1
    description = read_model_description("out/bar.fmu")
    assert description.modelName == "Bar" and "a.ax" in [each.name for each in description.modelVariables]
    (word,) = load("out/bar.fmu").picture["words"]
    assert word["kind"] == "elastic" and word["deformed"]["triangles"] == skin((3, 2, 2))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--port", "a=12"], "'a=12' is no port; write a name and its nodes, such as a=nodes:12-19,25"),
        (["--port", "a=nodes:0-99999999999"], "'a=nodes:0-99999999999' names 100000000000 nodes; name at most 1000000"),
        (["--port", "a=nodes:11-13"], "the mesh has no node 13; its 12 nodes have numbers from 1 to 12"),
        (["--port", "a=nodes:1", "--out", "bar.txt"], "--out bar.txt: an FMU has the ending .fmu; write bar.fmu"),
        (["--port", "a=nodes:1", "--matrices", "KGG"], "--matrices KGG: write the names of stiffness and mass, such as KGG,MGG"),
        (["--port", "a=nodes:1", "--nodes", "bar.bdf"], "'bar.npz' has them itself: leave nodes out"),
        (["--port", "a=nodes:1-2,1"], "port 'a' has 3 nodes, some of them twice or none at all: name each once"),
    ],
)
def test_wrong_options_get_a_sentence(options: list[str], sentence: str, mesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flexible", "bar.npz", *options]) == 2
    assert sentence in capsys.readouterr().err
