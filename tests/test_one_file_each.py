"""A new scheme, solver, component or port kind runs with one file alone.

Tables that name existing ones, such as colours by port kind, are in ``docs/architecture.md``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import coupling
import fmu_components

SCHEME = '''
from coupling.schemes.base.explicit_step import ExplicitScheme
from coupling.schemes.base.scheme import SCHEMES


class Held(ExplicitScheme):
    """The explicit one, which says that it ran."""

    def couple(self, session, run, interval):
        outcome = yield from super().couple(session, run, interval)
        outcome.warnings.append("held")
        return outcome


SCHEMES.register("held", Held(in_turn=False))
'''

SOLVER = '''
"""Bogacki and Shampine's method of order 3 with an error estimate of order 2 (Appl. Math. Lett. 2, 1989)."""

import numpy as np

from coupling.kernel.runs.tableau import Tableau, rows
from coupling.solvers.base.runge_kutta import explicit_method
from coupling.solvers.base.solver import SOLVERS

METHOD = Tableau(
    order=3,
    damping=0.0,
    c=np.array([0, 1 / 2, 3 / 4, 1]),
    a=rows(3, {}, {0: 1 / 2}, {1: 3 / 4}, {0: 2 / 9, 1: 1 / 3, 2: 4 / 9}),
    e=np.array([-5 / 72, 1 / 12, 1 / 9, -1 / 8]),
    d=np.zeros((0, 4)),
)

SOLVERS.register("bs23", explicit_method(METHOD))
'''

KIND = """
ACOUSTIC = PortKind(
    "acoustic", "acoustic", ((Quantity("p", "Pa", "sound pressure"),),), (Quantity("q", "m3/s", "volume velocity into the side of the pressure"),)
)
KINDS = (*KINDS, ACOUSTIC)
KIND_OF_TERMINAL = {kind.terminal_kind: kind for kind in KINDS}
"""

COMPONENT = '''
"""Cavity."""

from fmu_components.declare import ports
from fmu_components.declare.component import Component


class Cavity(Component):
    """Cavity whose pressure rises with what flows into it."""

    def declare(self):
        C = self.parameter("C", 1.0, "m3/Pa", "compliance", above=0)
        p = self.state("p", 1.0, "Pa", "pressure")
        port = self.port("port", getattr(ports, "ACOUSTIC", ports.HYDRAULIC), ports.Side.MOTION, "the opening")
        self.rate(p, port.q / C)
        self.moves(port, p)
'''

RUN = '''
import coupling
from coupling import BuildError, System
from fmu_components.declare import ports
from fmu_components.declare.component import Component


class Neck(Component):
    """Neck through which a cavity loses its pressure."""

    def declare(self):
        port = self.port("port", ports.ACOUSTIC, ports.Side.EFFORT, "the opening")
        self.gives(port, -self.parameter("G", 1.0, "m3/s.Pa", "conductance") * port.p)


def cavity():
    system = System("cavity")
    system.add("cavity", "hydraulic.Cavity")
    for name in ("one", "two"):
        system.add(name, Neck)
        system.connect("cavity.port", f"{name}.port")
    return system


print(coupling.__file__)
result = cavity().simulate(1.0, solver="bs23", rtol=1e-6)
print(result.outcome, round(result["cavity.p"][-1], 4))
print(cavity().simulate(1.0, communication_step=0.5, scheme="held").outcome.warnings[0])
for options in ({"solver": "bs22"}, {"communication_step": 0.5, "scheme": "hold"}):
    try:
        cavity().simulate(1.0, **options)
    except BuildError as error:
        print(error)
'''


def test_each_is_one_file(tmp_path: Path) -> None:
    """All four run together in a scratch copy, efforts at the new kind of port add up (exp(-2)), and errors suggest the new names."""
    for package in (coupling, fmu_components):
        folder = Path(package.__file__).parent
        shutil.copytree(folder, tmp_path / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "coupling/schemes/held.py").write_text(SCHEME)
    (tmp_path / "coupling/solvers/bs23.py").write_text(SOLVER)
    (tmp_path / "fmu_components/hydraulic/Cavity.py").write_text(COMPONENT)
    with (tmp_path / "fmu_components/declare/ports.py").open("a") as file:
        file.write(KIND)
    run = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not run.stderr
    assert run.stdout.splitlines() == [
        str(tmp_path / "coupling/__init__.py"),
        "completed at t = 1 s 0.1353",
        "held",
        "the solver 'bs22' is unknown; did you mean 'bs23'?",
        "the scheme 'hold' is unknown; did you mean 'held'?",
    ]
