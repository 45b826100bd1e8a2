"""Peculiarities of tools that the page mentions beside its table: the tests notice a tool that has changed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile

import fmpy
import numpy as np
import pytest

from tests.support.interoperability import cases
from tests.support.interoperability.assembly import Assembly, Part, part, split
from tests.support.interoperability.cases import DOUBLE_PENDULUM, PENDULUM, SHAFT
from tests.support.interoperability.masters import fmpy_container
from tests.support.interoperability.registry import MASTERS, Master, master

REFUSED = Assembly({"unit": part("planar.Body1", {"m": -1.0, "vx": 1.0})}, [], 0.01, 0.1, ["unit.p1.x"])
"""The FMU answers with an error and a sentence; no value that it gives from then on means anything."""


@pytest.mark.parametrize("fmi", [2, 3], ids=["fmi2", "fmi3"])
@pytest.mark.parametrize("chosen", [m for m in MASTERS if m.title not in ("ecos", "libcosim")], ids=lambda m: m.title)
def test_most_masters_stop_where_an_fmu_refuses_a_value(chosen: Master, fmi):
    """A mass of -1 kg raises an exception."""
    with pytest.raises(Exception, match=r"failed with status 3|Failed to instantiate|'unit.m' = -1.0 kg is refused"):
        chosen.record(REFUSED, fmi)


@pytest.mark.parametrize("fmi", [2, 3], ids=["fmi2", "fmi3"])
def test_ecos_runs_on_where_an_fmu_refuses_a_value(fmi):
    """It looks at no status when it sets values: the body, with 1 m/s at the start, stays where it is."""
    assert np.all(master("ecos").record(REFUSED, fmi)["unit.p1.x"] == 0)


# An extra, which not everybody installs: without it there is no libcosim whose behaviour could be held to this.
@pytest.mark.slow
@pytest.mark.skipif(find_spec("libcosimpy") is None, reason="libcosimpy, of the extra 'peers', is not installed")
def test_libcosim_ends_the_process_where_an_fmu_refuses_a_value():
    """The FMU's sentence is printed, at least."""
    source = "from tests.interoperability.test_quirks import REFUSED, master; master('libcosim').record(REFUSED, 2)"
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=Path(cases.__file__).parents[3])
    assert ended.returncode < 0
    assert "m = -1 kg is refused: it must be greater than 0" in ended.stderr


# An extra as well: without it the sentence would be that Python does not find ecospy, not that the loader does not find TBB.
@pytest.mark.skipif(find_spec("ecospy") is None, reason="ecospy, of the extra 'peers', is not installed")
def test_ecos_does_not_find_tbb_by_itself():
    """Its wheel does not bring the library, and the wheel of TBB puts it where no loader looks."""
    ended = subprocess.run([sys.executable, "-c", "import ecospy"], capture_output=True, text=True, env={"PATH": ""})
    assert "libtbb.so.12" in ended.stderr


def test_libcosim_gives_one_sample_less_than_it_has():
    """The first of them has the step number 0, and is counted as an empty place at the end."""
    pytest.importorskip("libcosimpy")
    from libcosimpy.CosimEnums import CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(10**7)
    number = execution.add_local_slave(CosimLocalSlave(str(SHAFT.assembly.parts["unit"].fmu(2)), "unit"))
    reference = next(v.reference for v in execution.slave_variables(number) if v.name == b"flange.w")
    observer = CosimObserver.create_time_series(100)
    execution.add_observer(observer)
    observer.start_time_series(number, reference, CosimVariableType.REAL)
    execution.step(3)
    times, _, _ = observer.time_series_real_samples(number, reference, 0, 4)
    assert times == [0, 10**7, 2 * 10**7]


def test_libcosim_connects_with_a_status():
    """Zero is success, unlike the other functions of its Python interface."""
    pytest.importorskip("libcosimpy")
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(10**7)
    slaves = [CosimLocalSlave(str(part("signal.FirstOrder").fmu(2)), name) for name in "ab"]
    numbers = [execution.add_local_slave(slave) for slave in slaves]
    by_name = {v.name.decode(): v.reference for v in execution.slave_variables(numbers[0])}
    assert execution.connect_real_variables(numbers[0], by_name["y"], numbers[1], by_name["u"]) == 0


def test_fmpy_writes_a_type_that_its_container_cannot_read(tmp_path, monkeypatch):
    """Connections of FMI 2.0 FMUs are written with the type Real; the container knows Float64."""
    monkeypatch.setattr(fmpy_container, "evolve", lambda variable, **changes: variable)
    with pytest.raises(Exception, match="Failed to instantiate"):
        fmpy_container.run(PENDULUM.assembly, 2, tmp_path)


@pytest.mark.slow
def test_fmpys_container_passes_values_on_in_the_order_of_its_connections():
    """A wrench that is listed before one of both motions is computed from motions of two times: at the start, from one that is still zero."""
    by_port = sorted(DOUBLE_PENDULUM.assembly.connections, key=lambda ends: sorted(split(end)[0] for end in ends))
    for connections, jumps in ((DOUBLE_PENDULUM.assembly.connections, False), (by_port, True)):
        start = replace(DOUBLE_PENDULUM.assembly, connections=connections, stop=0.0025, outputs=["pin2.N.Fx"])
        force = master("FMPy's container").record(start, 3)["pin2.N.Fx"]
        assert bool(np.abs(force).max() > 10) is jumps


def test_the_toolbox_names_a_link_like_its_output(tmp_path):
    """An output that is connected cannot be shown under ``instance.variable``: the container calls the link so, and FMPy refuses it."""
    from fmpy import read_model_description
    from fmu_manipulation_toolbox.container import FMUContainer

    container = FMUContainer("Container", tmp_path)
    for name in ("a", "b"):
        copyfile(part("signal.FirstOrder").fmu(2), tmp_path / f"{name}.fmu")
    container.add_link("a.fmu", "y", "b.fmu", "u")
    container.add_output("a.fmu", "y", "a.y")
    container.make_fmu("container.fmu", step_size=0.1)
    with pytest.raises(Exception, match=r'variable name "a\.y" .* is not unique'):
        read_model_description(str(tmp_path / "container.fmu"))


@pytest.mark.parametrize("fmi", [2, 3], ids=["fmi2", "fmi3"])
def test_no_algebraic_loop_without_accelerations(fmi):
    """The declared dependencies show it: wrenches of a joint do not depend on accelerations, nor a body's positions and velocities on
    wrenches."""
    depends = {
        component: {unknown.variable.name: {v.name for v in unknown.dependencies} for unknown in description.outputs}
        for component in ("planar.Revolute", "planar.Body1")
        for description in [fmpy.read_model_description(str(part(component).fmu(fmi)))]
    }
    accelerations = {f"{port}.{name}" for port in "MN" for name in ("ax", "ay", "alpha")}
    wrenches = {f"p1.{name}" for name in ("Fx", "Fy", "Cz")}
    for port in "MN":
        for name in ("Fx", "Fy", "Cz"):
            assert not depends["planar.Revolute"][f"{port}.{name}"] & accelerations
    for name in ("x", "y", "theta", "vx", "vy", "omega"):
        assert not depends["planar.Body1"][f"p1.{name}"] & wrenches
    assert depends["planar.Body1"]["p1.ax"] & wrenches


def test_fmu_files_of_one_name_in_one_assembly(tmp_path):
    """Both containers take two instances of one FMU."""
    twice = Assembly({"a": part("signal.Ramp"), "b": Part(part("signal.Ramp").fmu, {"height": 3.0})}, [], 0.1, 1.0, ["a.y", "b.y"])
    for title in ("FMPy's container", "toolbox container"):
        recorded = master(title).record(twice, 2)
        assert recorded["b.y"] == pytest.approx(3 * recorded["a.y"])
