"""Blanks in names of instances: importers divide names at them, so that exported mechanisms have none."""

from __future__ import annotations

import warnings
from pathlib import Path
from zipfile import ZipFile

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

from coupling import InitialStateError, System
from tests.support.runtime.driver import Driver
from tests.support.systems.systems import refusal


def pendulum(**start: float) -> System:
    """A pendulum whose instances have blanks and a name that another one gets without its blank."""
    system = System("two words")
    system.add("the ground", "planar.Fixed")
    system.add("pin 1", "planar.Revolute")
    system.add("rod 1", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5, **start})
    system.add("rod_1", "signal.Gain")
    system.connect("the ground.p1", "pin 1.M")
    system.connect("pin 1.N", "rod 1.p1")
    system.connect("rod 1.omega", "rod_1.u")
    return system


def test_names_in_exports_have_no_blanks(fmi: int, tmp_path: Path) -> None:
    """Names that the user gives are those of the system. The FMU has the new names, with the original ones in the descriptions and on its
    page."""
    path = tmp_path / "pendulum.fmu"
    with pytest.warns(UserWarning) as caught:
        pendulum().export_fmu(
            path,
            inputs=["rod 1.p1"],
            outputs=["pin 1.*", "rod 1"],
            parameters=["rod 1.m", "the ground"],
            start_values={"rod 1.m": 2.0},
            hold=["rod 1.theta"],
            fmi=fmi,
            platforms=["linux64"],
        )
    assert [str(each.message) for each in caught] == [
        f"'{path}': 'rod 1' is called 'rod_1_2' there, since 'rod_1' is taken; give it a name without blanks to choose another one"
    ]
    assert validate_fmu(str(path)) == []
    described = {each.name: each for each in fmpy.read_model_description(str(path)).modelVariables}
    assert not [name for name in described if name.split() != [name]]
    assert {"pin_1.rotation.q", "rod_1_2.theta", "der(rod_1_2.theta)", "rod_1_2.p1.Fx", "rod_1_2.m", "the_ground.p1.rx", "rod_1.y"} <= set(
        described
    )
    for name in ("rod_1_2.m", "der(rod_1_2.theta)", "rod_1_2.p1.Fx", "rod_1_2.theta"):
        assert ", of 'rod 1'" in described[name].description
    assert "rod 1" not in described["rod_1.y"].description
    with ZipFile(path) as archive:
        page = archive.read("documentation/index.html").decode()
    assert "<code>rod_1_2</code> is &#x27;rod 1&#x27;" in page and "Held are <code>rod_1_2.theta</code>." in page
    assert r"<code>pin_1</code> is &#x27;pin 1&#x27;" in page
    with Driver(path, "me") as fmu:
        fmu.start()
        # m = 2: alpha = -(m g l/2) / (I + m l^2/4) at the start, and 5 N m at the port in the same direction
        assert fmu["der(rod_1_2.omega)"] == pytest.approx(-9.81 / (1 / 12 + 0.5), rel=1e-9)
        fmu.set({"rod_1_2.p1.Cz": 5.0})
        assert fmu["der(rod_1_2.omega)"] == pytest.approx((5 - 9.81) / (1 / 12 + 0.5), rel=1e-9)


def test_a_violated_start_is_refused_by_the_names_of_the_system(tmp_path: Path) -> None:
    """All names are those of the system and none is taken twice: no warning follows."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "pin 1.position[1]" in refusal(lambda: pendulum(x=0.7).export_fmu(tmp_path / "x.fmu"), InitialStateError)


def test_the_master_simulates_an_export_under_the_new_names(tmp_path: Path) -> None:
    """The values are those of the same system in one piece."""
    system = pendulum()
    with pytest.warns(UserWarning, match="is called 'rod_1_2'"):
        path = system.export_fmu(tmp_path / "pendulum.fmu", platforms=["linux64"])
    whole = System("whole")
    whole.add("fmu", path)
    found, expected = whole.simulate(1.0, rtol=1e-10), system.simulate(1.0, rtol=1e-10)
    assert found["fmu.rod_1_2.theta"][-1] == pytest.approx(expected["rod 1.theta"][-1], abs=1e-8)
    assert np.ptp(expected["rod 1.theta"]) > 1
