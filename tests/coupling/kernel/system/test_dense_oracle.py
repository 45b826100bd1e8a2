"""The kernel's evaluation against a dense one in NumPy that knows no schedule and no derivatives (tests/support/systems/dense.py).

All derivatives and all unknowns, to 1e-12 of the greatest of each, at random states: most of these violate the constraints, so that
every term of the equations counts.
"""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling import System
from coupling.kernel.system.status import Status
from coupling.live.failures import describe
from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.oracles.planar import DoublePendulum, FourBar, Pendulum, SliderCrank
from tests.support.systems import seven_bodies
from tests.support.systems.dense import Dense
from tests.support.systems.sessions import started
from tests.support.systems.systems import system_of
from tests.support.systems.zoo import at, body, geared, made, rolling, springs


def without_manifest(component: str, folder: Path) -> Path:
    """A joint as a tool sees it that does not know of algebraic variables: it stays compliant."""
    path = folder / f"{component}.fmu"
    with zipfile.ZipFile(cached_fmu(find(component), 3)) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            if "fmi-ls-dae" not in name:
                target.writestr(name, source.read(name))
    return path


def mixture(folder: Path) -> System:
    """Three rods in a row, on two compliant pins and an ideal one."""
    compliant = without_manifest("planar.Revolute", folder)
    ends = at(p1=(-0.5, 0), p2=(0.5, 0))
    return made(
        {
            "ground": ("planar.Fixed", {}),
            "pin1": (compliant, {"compliant.k": 1e4}),
            "pin2": ("planar.Revolute", {}),
            "pin3": (compliant, {}),
            **{f"rod{k}": ("planar.Body2", body(x=k - 0.5, **ends)) for k in (1, 2, 3)},
            "spring": ("planar.SpringDamper", {"k": 20.0}),
        },
        [
            ("ground.p1", "pin1.M"),
            ("rod1.p1", "pin1.N"),
            ("rod1.p2", "pin2.M"),
            ("rod2.p1", "pin2.N"),
            ("rod2.p2", "pin3.M"),
            ("rod3.p1", "pin3.N"),
            ("ground.p1", "spring.M"),
            ("rod3.p1", "spring.N"),
        ],
    )


def silent(version: int, force: str) -> Path:
    """A force of a rod's motion, from an FMU that declares neither dependencies nor derivatives."""
    variables = [
        Variable("s", "input", unit="m"),
        Variable("v", "input", unit="m/s"),
        Variable("a", "input"),
        Variable("z", "local", 0.1, "m", rate="s - z"),
        Variable("f", "output", value=force, unit="N"),
    ]
    return foreign.export(Model("Silent", variables), version)


def silent_actuator(version: int, force: str) -> System:
    """It pushes a block on a guide, from which an arm hangs; where its force contains a, it is part of the loop."""
    system = made(
        {
            "ground": ("planar.Fixed", {}),
            "guide": ("planar.ActuatedTranslational", {}),
            "block": ("planar.Body2", body(**at(p2=(0.2, 0)))),
            "pin": ("planar.Revolute", {}),
            "arm": ("planar.Body1", body(x=0.2, y=-0.4, **at(p1=(0, 0.4)))),
            "silent": (silent(version, force), {}),
        },
        [("ground.p1", "guide.M"), ("block.p1", "guide.N"), ("block.p2", "pin.M"), ("arm.p1", "pin.N")],
    )
    for name in "sva":
        system.connect(f"guide.flange.{name}", f"silent.{name}")
    system.connect("silent.f", "guide.flange.f")
    return system


def silent_masses(version: int) -> System:
    """Two masses that declare nothing, tied by a spring: by what they declare they are in a loop, in truth in none."""
    mass = foreign.mass_spring(version)
    system = made(
        {
            "first": (mass, {}),
            "second": (mass, {"m": 2.0, "k": 50.0, "x": -0.2}),
            "tie": ("mechanical1d.SpringDamper1D", {"k": 30.0, "b": 0.5, "rest": 0.1}),
        },
        [],
    )
    for name, port in (("first", "M"), ("second", "N")):
        for pair in ((f"{name}.x", f"tie.{port}.s"), (f"{name}.v", f"tie.{port}.v"), (f"tie.{port}.f", f"{name}.f")):
            system.connect(*pair)
        system.drive(f"tie.{port}.a", 0.0)
    return system


def pushed() -> System:
    """A force on the end of the rod that the joint holds: what arrives there has two sources."""
    system = system_of(Pendulum(angle=0.3, speed=1.0))
    port = next(f"{n}.{p}" for n, f in system.instances.items() if f.states for p in f.terminals)
    system.drive(f"{port}.Fx", lambda t: 1 + t)
    system.drive(f"{port}.Fy", -0.4)
    return system


def in_fmi_2() -> System:
    """The four-bar from FMUs of FMI 2."""
    oracle = FourBar(angle=0.9, speed=1.0)
    return made({name: (cached_fmu(find(part), 2), values) for name, (part, values) in oracle.parts.items()}, oracle.connections)


FORCES = {"spring": "-25 * (s - z) - 2 * v * fabs(v)", "added mass": "-25 * s - 0.4 * a", "nonlinear": "-25 * s - 0.4 * a - 0.1 * sin(a)"}
SYSTEMS: dict[str, Callable[[], System]] = {
    "pendulum": lambda: system_of(Pendulum(angle=0.3, speed=1.0)),
    "double pendulum": lambda: system_of(DoublePendulum()),
    "slider-crank": lambda: system_of(SliderCrank(angle=0.3, speed=1.0, stiffness=30.0, rest=1.0, torque=0.4)),
    "four-bar": lambda: system_of(FourBar(angle=0.9, speed=1.0)),
    "four-bar in FMI 2": in_fmi_2,
    "pushed where a joint pulls": pushed,
    "springs": springs,
    "rolling": rolling,
    "geared": geared,
    **{
        f"silent {name} in FMI {version}": functools.partial(silent_actuator, version, force)
        for name, force in FORCES.items()
        for version in (2, 3)
    },
    **{f"silent masses in FMI {version}": functools.partial(silent_masses, version) for version in (2, 3)},
}


class Pair:
    """A system in the kernel and in the oracle."""

    def __init__(self, system: System, points: int = 6, spread: float = 0.3) -> None:
        self.system, self.built = system, system.build(communication=False)
        self.points, self.spread = points, spread

    def __enter__(self) -> Pair:
        self.dense = Dense(self.built)
        self.session = started(self.system, initial="relax", max_steps=1000)
        self.kernel = self.session.kernel
        return self

    def __exit__(self, *error: object) -> None:
        self.session.free()
        self.dense.__exit__()

    def states(self) -> Iterator[tuple[float, np.ndarray]]:
        """The start, then points around it at other times."""
        random = np.random.default_rng(7)
        yield 0.0, self.dense.start
        for _ in range(self.points):
            yield random.uniform(0, 1), self.dense.start + self.spread * random.standard_normal(len(self.dense.start))

    def check(self, evaluate: Callable[[float, np.ndarray], tuple[Status, np.ndarray]], tolerance: float = 1e-12) -> None:
        for t, x in self.states():
            expected = self.dense.evaluate(t, x)
            status, dx = evaluate(t, x)
            assert status is Status.DONE, describe(self.session)
            assert np.abs(dx - expected).max() <= tolerance * np.abs(expected).max(), (t, dx - expected)
            if self.dense.unknowns:
                z = np.array([self.kernel.slots[self.session.schedule.slot[a]] for a in self.dense.unknowns])
                assert np.abs(z - self.dense.z).max() <= tolerance * max(1.0, np.abs(self.dense.z).max()), (t, z - self.dense.z)

    def derivatives(self, t: float, x: np.ndarray) -> tuple[Status, np.ndarray]:
        dx = np.zeros(len(x))
        return self.kernel.derivatives(t, np.ascontiguousarray(x), dx), dx

    def everything(self, t: float, x: np.ndarray) -> tuple[Status, np.ndarray]:
        status = self.kernel.evaluate(t, np.ascontiguousarray(x))
        return status, self.kernel.slots[self.session.schedule.derivatives].copy()

    def check_all(self) -> None:
        """Checks the affine shortcut where it exists, the iteration, and the values for output."""
        self.check(self.derivatives)
        self.kernel.set_fast(False)
        self.check(self.derivatives)
        self.check(self.everything)


@pytest.mark.parametrize("name", SYSTEMS)
def test_derivatives_and_unknowns_are_those_of_the_oracle(name):
    with Pair(SYSTEMS[name]()) as pair:
        assert np.abs(pair.dense.start - pair.session.x).max() <= 1e-12
        pair.check_all()


def test_ideal_and_compliant_joints_mix(tmp_path):
    with Pair(mixture(tmp_path)) as pair:
        assert len(pair.dense.unknowns) == 2
        pair.check_all()


def test_the_seven_body_mechanism():
    """Its moments of inertia span a factor of 50 and its accelerations six orders of magnitude."""
    with Pair(seven_bodies.system(), points=3, spread=1e-2) as pair:
        assert len(pair.dense.unknowns) == 20
        pair.check_all()


def test_the_affine_shortcut_was_taken():
    """The comparison above is therefore not one way of evaluation three times."""
    with Pair(SYSTEMS["four-bar"]()) as pair:
        (loop,) = pair.session.schedule.loops
        assert loop.followers is not None
        t, x = 0.3, pair.dense.start
        counts = []
        for fast in (True, False):
            pair.kernel.set_fast(fast)
            pair.derivatives(t, x)
            before = pair.kernel.statistics.newton_iterations
            pair.derivatives(t, x + 0.1)
            counts.append(pair.kernel.statistics.newton_iterations - before)
        assert counts[0] == 1 <= counts[1]


def test_where_a_loop_is_nonlinear_there_is_no_shortcut():
    """An FMU without derivatives in the loop: what differences tell may be no more than a slope."""
    with Pair(SYSTEMS["silent nonlinear in FMI 3"]()) as pair:
        assert [loop.followers for loop in pair.session.schedule.loops] == [None]
