"""Pictures of components, and their way into FMUs."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from coupling.fmus import load
from fmu_components.catalogue import all_components
from fmu_components.declare.component import Component, declaration
from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.picture import ball, body, joint_picture, picture, wheel
from fmu_components.export.build import cached_fmu
from fmu_components.export.picture import PICTURE, picture_file
from fmu_components.planar.Revolute import Revolute
from tests.support.systems.systems import refusal


def test_joints_need_no_words() -> None:
    """Their symbols follow from their freedoms."""

    def kinds(names: tuple[str, ...]) -> list[str]:
        return [word.kind for word in joint_picture(names, spatial=False).words]

    assert kinds(("rotation.q", "rotation.qd")) == ["pin"] and kinds(("translation1.q", "translation2.q")) == []
    assert kinds(("translation.q", "rotation.q")) == ["rail", "pin"] and kinds(("position[3]",)) == ["square"]
    assert kinds(("velocity[1]",)) == kinds(("position[1]", "position[2]")) == []
    assert [word.kind for word in declaration(Revolute).picture.words] == ["pin"]


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (picture(ball("Q")), "Odd: its picture names the port 'Q', which it does not have; it has M, N"),
        (picture(wheel("N", "r")), "Odd: its picture names the variable 'r', which is not declared"),
        (body("x", "y", "theta"), "Odd: its picture names the variable 'x', which is not declared"),
    ],
)
def test_a_name_that_the_component_does_not_have(made: object, sentence: str) -> None:
    """It is refused with the declaration."""
    odd: type[Component] = type("Odd", (Revolute,), {"picture": made, "__doc__": "An odd one.", "__module__": __name__})
    assert refusal(lambda: declaration(odd), DeclarationError) == sentence


def test_it_travels_in_the_fmu(tmp_path: Path) -> None:
    """The master reads what the component says; a file that is damaged, of a later version or names what is not there is a note."""
    fmu = cached_fmu(all_components()["planar.Body1"], 3)
    said = load(fmu).picture
    assert said is not None and said["pose"] == ["x", "y", "theta"] and said["points"]["p1"]["at"] == ["p1.rx", "p1.ry"]
    assert json.loads(picture_file(declaration(all_components()["planar.Body1"]))[PICTURE]) == said
    for text, reason in (
        ("{", "is not as this version of Jourdain expects"),
        ('{"version": 2, "words": []}', "is of version 2, and this Jourdain reads version 1"),
        ('{"version": 1, "words": [{"kind": "pin", "ports": ["q1"]}]}', "names the port 'q1', which does not exist"),
        ('{"version": 1, "pose": ["x", "y", "phi"], "words": []}', "names the variable 'phi', which does not exist"),
    ):
        copy = shutil.copy(fmu, tmp_path / "copy.fmu")
        with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(copy, "w") as new:
            for info in old.infolist():
                new.writestr(info, text if info.filename == PICTURE else old.read(info))
        found = load(copy)
        assert found.picture is None
        assert found.notes[-1] == f"'{copy}' has the picture {PICTURE}, which {reason}; it is ignored"
