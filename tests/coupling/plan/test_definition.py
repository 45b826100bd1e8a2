"""A system as data: copied, compared and pickled."""

from __future__ import annotations

import copy
import math
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

from coupling import FmuError, System
from coupling.plan.drives import TableDrive
from fmu_components.export.compile import PLATFORMS, runtime_objects
from fmu_components.export.kept import cache_folder
from tests.support import foreign
from tests.support.systems.systems import pendulum


def swing(t: float) -> float:
    return 0.1 * math.sin(t)


def driven() -> System:
    system = pendulum()
    system.add("push", "planar.Wrench")
    system.add("other", foreign.oscillator())
    system.connect("push.M", "rod.p1")
    system.drive("push.Fx", swing)
    system.drive("push.Fy", [(0.0, 0.0), (1.0, 2.0)])
    system.drive("push.Cz", 0.5)
    return system


@pytest.mark.parametrize("made_by", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["copy", "deepcopy", "pickle"])
def test_a_copy_is_the_same_system(made_by) -> None:
    """It can be changed where the first has been built, and runs to the same bits."""
    system = driven()
    result = system.simulate(0.2)
    other = made_by(system)
    assert other.definition == system.definition and hash(other.definition) == hash(system.definition)
    assert np.array_equal(other.simulate(0.2).values, result.values)
    changed = made_by(system)
    changed.add("wheel", "planar.Body1")
    assert changed.definition != system.definition
    assert "wheel" not in system.instances


def test_definitions_differ_where_systems_do() -> None:
    """They differ in a value of a table, a function, a start value, a kind, a name, or the content of an FMU."""
    reference = driven().definition
    assert driven().definition == reference

    def changed(change) -> System:
        system = pendulum()
        change(system)
        return system

    variants = [
        changed(lambda s: None),
        changed(lambda s: s.drive("rod.p1.Fx", 1.0)),
        changed(lambda s: s.drive("rod.p1.Fx", 2.0)),
        changed(lambda s: s.drive("rod.p1.Fx", swing)),
        changed(lambda s: s.drive("rod.p1.Fx", lambda t: 0.1 * math.sin(t))),
        changed(lambda s: s.drive("rod.p1.Fx", [(0.0, 1.0), (1.0, 1.0)])),
        changed(lambda s: s.drive("rod.p1.Fx", [(0.0, 1.0), (1.0, 2.0)])),
        changed(lambda s: s.add("more", "planar.Body1")),
        changed(lambda s: s.add("more", "planar.Body1", {"m": 2.0})),
        changed(lambda s: s.add("more", "planar.Body1", kind="cs")),
        changed(lambda s: s.add("more", "planar.Body2")),
    ]
    found = [system.definition for system in variants]
    assert all(a != b for i, a in enumerate(found) for b in found[i + 1 :])


def test_tables_are_compared_by_their_values() -> None:
    a, b = (TableDrive(np.array([0.0, 1.0]), np.array([1.0, 2.0])) for _ in range(2))
    assert a == b and hash(a) == hash(b)
    assert a != TableDrive(np.array([0.0, 1.0]), np.array([1.0, 3.0])) and a != 3


def test_an_fmu_that_has_been_replaced_is_refused(tmp_path) -> None:
    """Its content counts, not its path."""
    path = tmp_path / "it.fmu"
    path.write_bytes(foreign.oscillator().read_bytes())
    system = System()
    system.add("it", path)
    kept = pickle.dumps(system)
    assert pickle.loads(kept).definition == system.definition
    path.write_bytes(foreign.gain().read_bytes())
    with pytest.raises(
        FmuError, match="is another FMU than it was when the system was defined; put the old one back, or define the system anew"
    ):
        pickle.loads(kept)


@pytest.mark.slow
def test_components_are_built_again_where_their_fmus_are_gone(tmp_path) -> None:
    """A pickle holds paths of the cache, which may have been emptied."""
    script = "import pickle, sys; from tests.support.systems.systems import pendulum; pickle.dump(pendulum(), open(sys.argv[1], 'wb'))"
    again = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).simulate(0.1)['rod.theta'][-1])"
    kept, printed = tmp_path / "system.pickle", []
    for number, text in enumerate((script, again)):
        # The compiled runtime is no FMU, and takes longest.
        for compiled in (path for fmi in (2, 3) for path in runtime_objects(PLATFORMS["linux64"], fmi, cache_folder())):
            folder = tmp_path / f"cache{number}" / compiled.parent.name
            folder.mkdir(parents=True, exist_ok=True)
            for file in compiled.parent.glob(f"{compiled.name}*"):  # with its checksum, without which it is compiled again
                shutil.copy(file, folder)
        environment = os.environ | {"JOURDAIN_CACHE": str(tmp_path / f"cache{number}")}
        run = subprocess.run([sys.executable, "-c", text, str(kept)], env=environment, capture_output=True, text=True, check=False)
        assert not run.returncode, run.stderr
        shutil.rmtree(tmp_path / f"cache{number}")
        printed.append(run.stdout)
    assert float(printed[-1]) == pendulum().simulate(0.1)["rod.theta"][-1]
