"""Connections between variables of different types: those that lose nothing, and those that ``convert=True`` permits."""

from __future__ import annotations

import pickle
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, System
from tests.support.foreign import Model, Variable, export
from tests.support.foreign.types import types
from tests.support.systems.systems import refusal

ITEMS = '<Item name="off" value="1"/><Item name="on" value="2"/>'
SINGLE = {
    'name="in_f32" valueReference="106" causality="input" variability="discrete"': 'name="in_f32" valueReference="106" causality="input"'
}
ROUNDS = "a Float32, which does not hold all numbers of double precision; connect(..., convert=True) rounds them"
NOTE = "values are rounded to single precision (Float32): '{0}gain.y' -> '{0}b.in_f32'"


def doubles() -> System:
    """Returns a system whose double 0.1 is connected with an input of single precision."""
    system = System("doubles")
    system.add("gain", "signal.Gain", {"k": 0.1})
    system.add("b", types(3, SINGLE))
    system.drive("gain.u", 1.0)
    system.connect("gain.y", "b.in_f32", convert=True)
    return system


def check_rounded(system: System, prefix: str = "") -> None:
    result = system.simulate(0.1)
    assert result.outcome.completed and NOTE.format(prefix) in result.outcome.notes
    assert result[f"{prefix}b.echo_f32"][-1] == float(np.float32(0.1)) != 0.1


def test_rounding_to_single_precision_is_asked_for() -> None:
    """A double is refused at an input of single precision; if it is asked for, NumPy's float32 arrives, and a note names both ends."""
    system = System()
    system.add("gain", "signal.Gain", {"k": 0.1})
    system.add("b", types(3, SINGLE))
    assert (
        refusal(lambda: system.connect("gain.y", "b.in_f32"), BuildError)
        == f"'gain.y' and 'b.in_f32' cannot be connected: the first is a Float64, the second {ROUNDS}"
    )
    assert f"the second {ROUNDS}" in refusal(lambda: system.connect("gain.y", "b.in_f32", factor=2.0), BuildError)
    assert refusal(lambda: system.connect("gain.y", "b.in_f32", convert=1), BuildError) == (
        "convert = 1 between 'gain.y' and 'b.in_f32' is refused: give True or False"
    )
    check_rounded(doubles())
    assert doubles().definition != replaced(doubles()).definition


def replaced(system: System) -> System:
    """Returns the system without the question for a conversion: it cannot be built."""
    again = System.of(system.definition)
    again._transformations.clear()
    assert f"the second {ROUNDS}" in refusal(again.build, BuildError)
    return again


def test_conversions_stay_in_copies() -> None:
    """A pickle and a system in another one convert too."""
    check_rounded(pickle.loads(pickle.dumps(doubles())))
    outer = System("outer")
    outer.include("inner", doubles())
    check_rounded(outer, "inner.")


@pytest.mark.parametrize("annotated", [True, False])
def test_packages_convert(annotated: bool, tmp_path: Path) -> None:
    """SSP has no option for it: packages of other tools round where their types ask for it, which the note says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = doubles().to_ssp(tmp_path / "doubles.ssp")
    if not annotated:
        other = tmp_path / "other.ssp"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
            for name in old.namelist():
                if name != "extra/org.jourdain/system.xml":
                    new.writestr(name, old.read(name))
        path = other
    check_rounded(System.from_ssp(path))


def test_rigid_couplings_convert() -> None:
    """Torques of a joint reach an engine of single precision, whose speed follows 3 N m at 2 + 1 kg m2."""
    engine = export(
        Model(
            "Engine",
            [
                Variable("tau", "input", 0.0, type="Float32"),
                Variable("phi", "output", 0.0, rate="w"),
                Variable("w", "output", 0.0, rate="(3 + tau) / 2"),
                Variable("acc", "output", value="(3 + tau) / 2"),
            ],
        ),
        3,
    )
    names = {"angle": "engine.phi", "speed": "engine.w", "acceleration": "engine.acc", "torque": "engine.tau"}

    def joined(**options: bool) -> System:
        system = System()
        system.add("engine", engine)
        system.add("load", "mechanical1d.Inertia", {"I": 1.0})
        system.join_rigidly(names, "load.flange", name="shaft", **options)
        return system

    assert f"the second {ROUNDS}" in refusal(joined, BuildError)
    result = joined(convert=True).simulate(1.0)
    assert result["load.w"][-1] == pytest.approx(1.0, abs=1e-5)
    assert "values are rounded to single precision (Float32): 'shaft.M.tau' -> 'engine.tau'" in result.outcome.notes


def two(items: str, version: int) -> System:
    """Returns an enumeration with the items off (1) and on (2), and one with other items."""
    system = System()
    system.add("a", types(version))
    system.add("b", types(version, {ITEMS: items}))
    return system


@pytest.mark.parametrize("version", [2, 3])
def test_items_of_enumerations(version: int) -> None:
    """An input takes an output whose items it has; other items are refused, and pass by their numbers if that is asked for."""
    turned = two('<Item name="on" value="1"/><Item name="off" value="2"/>', version)
    assert refusal(lambda: turned.connect("a.mode", "b.in_mode"), BuildError) == (
        "'a.mode' and 'b.in_mode' cannot be connected: the first is an Enumeration, the second an Enumeration: the first has the items "
        "'off' (1), 'on' (2), the second 'on' (1), 'off' (2); connect enumerations of the same items, or pass the numbers: "
        "connect(..., convert=True)"
    )
    turned.connect("a.mode", "b.in_mode", convert=True)
    result = turned.simulate(1.0, output_interval=0.1)
    assert result["b.echo_mode"][[0, -1]].tolist() == [1, 2]
    assert result.item_names("a.mode")[-1] == "on" and result.item_names("b.echo_mode")[-1] == "off"
    more = two(f'{ITEMS}<Item name="broken" value="3"/>', version)
    more.connect("a.mode", "b.in_mode")
    for convert in (False, True):  # its input has no number 3
        assert refusal(lambda convert=convert: more.connect("b.mode", "a.in_mode", convert=convert), BuildError).endswith(
            "the first has the items 'off' (1), 'on' (2), 'broken' (3), the second 'off' (1), 'on' (2); connect enumerations of the same items"
        )


def test_numbers_of_items() -> None:
    """A whole number is an item only if each of its values is the number of one."""
    system = System()
    system.add("a", types(3, {'name="i8" valueReference="7"': 'name="i8" valueReference="7" min="1" max="2"'}))
    system.add("b", types(3))
    system.connect("a.i8", "b.in_mode")
    assert refusal(lambda: system.connect("b.i8", "a.in_mode"), BuildError).endswith(
        "the first is an Int8, the second an Enumeration with the items 'off' (1), 'on' (2), which do not have all numbers from -128 to 127; "
        "connect the second with an enumeration of these items, or pass the numbers: connect(..., convert=True)"
    )
    system.connect("b.i8", "a.in_mode", convert=True)


def test_values_beyond_single_precision() -> None:
    """Start values and drives are rounded; beyond the largest float32 they are refused."""
    system = System()
    system.add("b", types(3), {"in_f32": 1 / 3})
    for give in (lambda: system.drive("b.in_f32", [(0, 1.0), (1, 1e39)]), lambda: system.simulate(0.1, start_values={"b.in_f32": 1e39})):
        assert "'b.in_f32' = 1e+39 is refused: it must be at least -3.40282e+38 and at most 3.40282e+38" in refusal(give, BuildError)
    assert system.simulate(0.1)["b.echo_f32"][-1] == float(np.float32(1 / 3))
