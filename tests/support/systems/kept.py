"""Systems and options of runs that are left and gone on with, and checkpoints of one at random moments."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from coupling import Index3, Result, Scheme, Successive, System
from coupling.live.checkpoints import CheckpointWriter
from coupling.live.session import Session
from tests.support.oracles.planar import DoublePendulum
from tests.support.systems.rolling import disc
from tests.support.systems.switching import belt, stop
from tests.support.systems.systems import pendulum, pushed


def enforced() -> System:
    """Joints that come into force and go."""
    system = disc()
    system.enforce("plane", [(0.2, 1.4)])
    system.enforce("grip", [(0.5, 1.0)])
    return system


def mixed() -> System:
    """Returns two rods, one in Co-Simulation, the other integrated between the points."""
    oracle = DoublePendulum()
    system = System("double pendulum")
    for name, (component, values) in oracle.parts.items():
        system.add(name, component, values, "cs" if name == "rod1" else "me")
    for a, b in oracle.connections:
        system.connect(a, b)
    return system


def by_table() -> System:
    """A force with kinks and a jump."""
    return pushed([[0.0, 0.0], [0.31, 8.0], [0.31, -4.0], [0.62, 3.0], [2.0, 0.0]])


def zone() -> System:
    """Returns a system with state events: the part of a reaction beyond a dead zone turns another inertia."""
    system = pendulum()
    system.add("zone", "signal.Deadzone", {"lower": -2.0, "upper": 2.0})
    system.add("torque", "mechanical1d.Torque")
    system.add("inertia", "mechanical1d.Inertia")
    for a, b in (("pin.reaction", "zone.u"), ("zone.y", "torque.torque"), ("torque.flange", "inertia.flange")):
        system.connect(a, b)
    return system


def stepped(**options: Any) -> dict[str, Any]:
    return {"communication_step": 1e-2, **options}


RUNS: dict[str, tuple[Callable[[], System], dict[str, Any]]] = {
    "dopri5": (pendulum, {}),
    "dop853, baumgarte": (pendulum, {"solver": "dop853", "stabilisation": "baumgarte"}),
    "by the FMUs": (pendulum, {"evaluation": "fmus"}),
    "by a tape": (zone, {"evaluation": "tape"}),
    "by compiled code": (zone, {"evaluation": "compiled"}),
    "index3": (pendulum, {"solver": Index3(step_size=1e-2, method="generalised-alpha")}),
    "augmented": (pendulum, {"solver": Index3(step_size=1e-2, iteration="augmented-lagrangian")}),
    "table": (by_table, {"solver": "dop853"}),
    "impacts": (stop, {}),
    "friction": (belt, {"solver": Index3(step_size=5e-3)}),
    "joints that come and go": (enforced, {}),
    "sensitivities": (pendulum, {"sensitivities": ["rod.m", "rod.theta"]}),
    "in an order": (pendulum, {"multipliers": Successive(redundant="first")}),
    "explicit": (by_table, stepped()),
    "gauss-seidel": (pendulum, stepped(scheme=Scheme("gauss-seidel", extrapolation=2))),
    "implicit": (pendulum, stepped(scheme="implicit")),
    "implicit-velocity": (by_table, stepped(scheme="implicit-velocity")),
    "implicit-position": (pendulum, stepped(scheme="implicit-position")),
    "step doubling": (pendulum, stepped(scheme=Scheme("implicit", step_control="adaptive"))),
    "power": (pendulum, stepped(scheme=Scheme(step_control="power"))),
    "between the points": (mixed, stepped()),
    "between the points, implicit": (mixed, stepped(scheme="implicit")),
}
"""Each goes on with the same bits."""


@contextmanager
def checkpoints(folder: Path, seed: int, most: int) -> Iterator[list[Path]]:
    """Runs within write a checkpoint after each of so many random shares of their time; their paths."""
    chance = random.Random(seed)
    shares, made = sorted(chance.random() for _ in range(most)), list[Path]()

    def looked(self: CheckpointWriter, session: Session, beside: Any) -> None:
        time = session.kernel.time - session.run.start_time
        span = 1.0 if session.run.is_open else session.run.stop_time - session.run.start_time
        if len(made) < most and time >= shares[len(made)] * span:
            made.append(folder / f"{len(made)}.ckpt")
            last, self.path, self.interval = self.path, made[-1], 3600.0
            self.keep(session, beside)
            self.path, self.interval = last, 0.0

    with patch.object(CheckpointWriter, "look", looked):
        yield made


def bits(result: Result) -> tuple[bytes, ...]:
    """All that a result has over time."""
    record = result._record
    beside = [record.derivatives, *record.created_energy.values(), *record.drawn.values()]
    return tuple(np.ascontiguousarray(each).tobytes() for each in (record.rows, *beside))
