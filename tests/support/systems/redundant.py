"""Machines in space whose constraints repeat each other, at any heading, in any order of bodies and cut into welded parts; each with what it does."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from jourdain import Result, System

HEADINGS = (0.0, 0.3, math.pi / 4, 1.2, math.pi / 2, 2.0, math.pi, 4.5)
ORDERS, CUTS = 3, 3
UPRIGHT = Rotation.from_euler("x", math.pi / 2)
"""A machine that moves in its plane x y stands upright, with the absolute z upwards."""
X, Y, Z = np.eye(3)
Vector = Sequence[float] | np.ndarray


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to write down a machine."""

    heading: float = 0.0
    order: int = 0
    cut: int = 1


@dataclass
class _Piece:
    name: str
    values: dict[str, float]
    ports: int = 0


@dataclass
class Maker:
    """Puts a machine together from bodies and joints in coordinates of its own."""

    name: str
    variant: Variant
    upright: bool = True
    bodies: list[_Piece] = field(default_factory=list)
    joints: list[Callable[[System], None]] = field(default_factory=list)
    grounds: int = 0

    @property
    def attitude(self) -> Rotation:
        turn = Rotation.from_euler("z", self.variant.heading)
        return turn * UPRIGHT if self.upright else turn

    def _port(self, piece: _Piece, point: Vector, axis: Vector, across: Vector | None) -> str:
        piece.ports += 1
        other = np.asarray(across) if across is not None else np.roll(np.asarray(axis), 1)
        piece.values |= _vector(f"p{piece.ports}.r", point) | _vector(f"p{piece.ports}.z", axis) | _vector(f"p{piece.ports}.x", other)
        return f"{piece.name}.p{piece.ports}"

    def ground(self, point: Vector = (0, 0, 0), axis: Vector = Z, across: Vector | None = None) -> str:
        """A port that is fixed."""
        self.grounds += 1
        piece = _Piece(f"ground{self.grounds}", {})
        turned = [self.attitude.apply(each) for each in (point, axis, np.roll(np.asarray(axis), 1) if across is None else across)]
        self.joints.append(lambda system, piece=piece: None)
        port = self._port(piece, turned[0], turned[1], turned[2])
        self.bodies.append(piece)
        return port

    def body(
        self, name: str, mass: float, inertia: Vector, at: Vector, *points: tuple[Vector, Vector], velocity: Vector = (0, 0, 0)
    ) -> list[str]:
        """A body at rest in its attitude, as welded parts; its ports by points and axes of the machine."""
        parts = max(self.variant.cut, -(-len(points) // 3))
        w, x, y, z = np.roll(self.attitude.as_quat(), 1)
        start = dict(zip(("q0", "q1", "q2", "q3"), (w, x, y, z), strict=True)) | _vector("v", self.attitude.apply(velocity))
        pieces = [
            _Piece(
                name if parts == 1 else f"{name}{k}",
                {"m": mass / parts, **dict(zip(("Ixx", "Iyy", "Izz"), np.divide(inertia, parts), strict=True))}
                | _vector("", self.attitude.apply(at))
                | start,
            )
            for k in range(1, parts + 1)
        ]
        found = [self._port(pieces[number % parts], np.subtract(point, at), axis, None) for number, (point, axis) in enumerate(points)]
        for first, second in itertools.pairwise(pieces):
            self.join("Weld", self._port(first, (0, 0, 0), Z, None), self._port(second, (0, 0, 0), Z, None), f"{second.name}weld")
        self.bodies += pieces
        return found

    def join(self, component: str, a: str, b: str, name: str, **values: float) -> None:
        self.joints.append(lambda system: system.join(f"spatial.{component}", a, b, values, name=name))

    def beside(self, add: Callable[[System], None]) -> None:
        """Adds a part that is neither a body nor a joint in space."""
        self.joints.append(add)

    def made(self) -> System:
        system = System(self.name, gravity=(0.0, 0.0, -9.81))
        choice = random.Random(self.variant.order)
        bodies, joints = list(self.bodies), list(self.joints)
        if self.variant.order:
            choice.shuffle(bodies)
            choice.shuffle(joints)
        for piece in bodies:
            kind = "Fixed" if piece.name.startswith("ground") else f"Body{piece.ports}"
            system.add(piece.name, f"spatial.{kind}", piece.values)
        for each in joints:
            each(system)
        return system


def _vector(name: str, values: Vector) -> dict[str, float]:
    return {f"{name}{axis}": float(value) for axis, value in zip("xyz", values, strict=True)}


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine of the family: its system, a measured coordinate, and a reference for it."""

    name: str
    redundant: int
    make: Callable[[Variant], System]
    measure: str
    """A coordinate, from its start on."""
    reference: Callable[[np.ndarray], np.ndarray]
    stop: float
    true: str = "of least length is taken"
    """Sentence that may be said of the machine besides its redundancy."""


# -- loads ----------------------------------------------------------------------------------------------------------------------------------


def load(choice: random.Random, size: float, stop: float) -> list[tuple[float, float]]:
    """A table with corners, whose mean drives forwards."""
    times = [0.0, *sorted(choice.uniform(0.1, 0.9) * stop for _ in range(4)), stop]
    return [(time, size * choice.uniform(0.2, 1.8)) for time in times]


def _by_quadrature(
    rates: Callable[[float, np.ndarray], Sequence[float]], start: Sequence[float], corners: Sequence[float]
) -> Callable[[np.ndarray], np.ndarray]:
    """The first of some states, from corner to corner."""

    def found(times: np.ndarray) -> np.ndarray:
        y, values = np.array(start, dtype=float), np.empty(len(times))
        ends = [*corners, max(corners[-1], times[-1]) + 1e-9]
        for begin, end in itertools.pairwise(ends):
            if end <= begin:
                continue
            part = solve_ivp(rates, (begin, end), y, "DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
            inside = (times >= begin) & (times <= end)
            values[inside] = part.sol(times[inside])[0]
            y = part.y[:, -1]
        return values - start[0]

    return found


def _turned(
    table: list[tuple[float, float]], inertia: float, *, weight: float = 0.0, start: float = 0.0
) -> Callable[[np.ndarray], np.ndarray]:
    """Returns the angle of a rotor under a torque and a weight times its arm, which acts at an angle from the horizontal."""
    times, values = zip(*table, strict=True)

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[1], (float(np.interp(t, times, values)) - weight * math.cos(y[0])) / inertia]

    return _by_quadrature(rates, (start, 0.0), times)


def _drive(maker: Maker, port: str, table: list[tuple[float, float]]) -> None:
    def add(system: System) -> None:
        system.add("load", "spatial.FollowerWrench")
        system.connect("load.M", port)
        system.drive("load.Cz", table)

    maker.beside(add)


# -- the family -----------------------------------------------------------------------------------------------------------------------------


def bearings(count: int, seed: int) -> Machine:
    """A rotor in several bearings on one axis."""
    choice = random.Random(seed)
    inertia, table = choice.uniform(0.2, 2), load(choice, choice.uniform(1, 5), 2.0)
    places = sorted(choice.uniform(-1, 1) for _ in range(count))

    def make(variant: Variant) -> System:
        maker = Maker(f"bearings {count}", variant)
        loaded, *ports = maker.body("rotor", 3.0, (inertia,) * 3, (0, 0, 0), ((0, 0, 0), Z), *(((0, 0, place), Z) for place in places))
        for number, (place, port) in enumerate(zip(places, ports, strict=True), 1):
            maker.join("Revolute", maker.ground((0, 0, place)), port, f"bearing{number}")
        _drive(maker, loaded, table)
        return maker.made()

    return Machine(
        name=f"rotor in {count} bearings",
        redundant=5 * (count - 1),
        make=make,
        measure="bearing1.rotation.q",
        reference=_turned(table, inertia),
        stop=2.0,
    )


def parallelogram(cranks: int, seed: int) -> Machine:
    """A coupler on parallel cranks of hinges, through its poses in line."""
    choice = random.Random(seed)
    radius, table = choice.uniform(0.1, 0.3), load(choice, choice.uniform(1, 4), 2.0)
    mass, crank_mass, crank_inertia = choice.uniform(1, 3), choice.uniform(0.5, 1), choice.uniform(0.05, 0.2)
    start = choice.uniform(0.3, 1.2)
    places = np.cumsum([choice.uniform(0.3, 0.6) for _ in range(cranks)])
    total = cranks * crank_inertia + mass * radius**2

    def make(variant: Variant) -> System:
        maker = Maker(f"parallelogram {cranks}", variant)
        arm = radius * np.array([math.cos(start), math.sin(start), 0])
        pins = [np.array([place, 0, 0]) + arm for place in places]
        hung = maker.body("coupler", mass, (0.1, 0.1, 0.1), np.mean(pins, axis=0), *((pin, Z) for pin in pins))
        for number, (place, pin) in enumerate(zip(places, hung, strict=True), 1):
            foot = np.array([place, 0, 0])
            ports = maker.body(f"crank{number}", crank_mass, (crank_inertia,) * 3, foot, (foot, Z), (foot + arm, Z), (foot, Z))
            maker.join("Revolute", maker.ground(foot), ports[0], f"foot{number}")
            maker.join("Revolute", ports[1], pin, f"pin{number}")
            if number == 1:
                _drive(maker, ports[2], table)
        return maker.made()

    reference = _turned(table, total, weight=9.81 * mass * radius, start=start)
    return Machine(
        name=f"parallelogram of {cranks} cranks",
        redundant=4 * cranks - 5,
        make=make,
        measure="foot1.rotation.q",
        reference=reference,
        stop=2.0,
        true="more than one motion is possible",
    )


def slider_cranks(cylinders: int, seed: int) -> Machine:
    """Cylinders on one shaft, all of hinges and guides: by one coordinate."""
    choice = random.Random(seed)
    radius, rod = choice.uniform(0.04, 0.08), choice.uniform(0.2, 0.3)
    phases = [2 * math.pi * k / cylinders + choice.uniform(0, 0.3) for k in range(cylinders)]
    crank_inertia, rod_mass, rod_inertia, piston = choice.uniform(0.02, 0.1), 0.4, 0.003, 0.6
    table = load(choice, choice.uniform(2, 6), 1.0)

    def geometry(angle: float, phase: float) -> tuple[float, ...]:
        """Returns the place of the pin, the rod's inclination and its rates by the angle, and the same of the piston."""
        a = angle + phase
        s = radius * math.sin(a) / rod
        inclined = -math.asin(s)
        c = math.cos(inclined)
        d_inclined = -radius * math.cos(a) / (rod * c)
        dd_inclined = (radius * math.sin(a) / rod + math.sin(inclined) * d_inclined**2) / c
        return a, inclined, d_inclined, dd_inclined

    def inertia(angle: float) -> tuple[float, float, float]:
        """The generalised mass, half its derivative, and the moment of gravity, which acts along -y."""
        total, slope, weight = crank_inertia, 0.0, 0.0
        for phase in phases:
            a, b, db, ddb = geometry(angle, phase)
            half = rod / 2
            parts = [
                (rod_mass, (-radius * math.sin(a) - half * math.sin(b) * db, radius * math.cos(a) + half * math.cos(b) * db),
                 (-radius * math.cos(a) - half * (math.cos(b) * db**2 + math.sin(b) * ddb), -radius * math.sin(a) + half * (math.cos(b) * ddb - math.sin(b) * db**2))),
                (piston, (-radius * math.sin(a) - rod * math.sin(b) * db, 0.0),
                 (-radius * math.cos(a) - rod * (math.cos(b) * db**2 + math.sin(b) * ddb), 0.0)),
            ]  # fmt: skip
            for mass, velocity, change in parts:
                total += mass * float(np.dot(velocity, velocity))
                slope += mass * float(np.dot(velocity, change))
                weight -= mass * 9.81 * velocity[1]
            total += rod_inertia * db**2
            slope += rod_inertia * db * ddb
        return total, slope, weight

    def rates(t: float, y: np.ndarray) -> list[float]:
        times, values = zip(*table, strict=True)
        total, slope, weight = inertia(y[0])
        return [y[1], (float(np.interp(t, times, values)) + weight - slope * y[1] ** 2) / total]

    def make(variant: Variant) -> System:
        maker = Maker(f"slider-cranks {cylinders}", variant)
        deep = [0.1 * k for k in range(cylinders)]
        pins = [np.array([radius * math.cos(p), radius * math.sin(p), z]) for p, z in zip(phases, deep, strict=True)]
        shaft = maker.body("shaft", 2.0, (crank_inertia,) * 3, (0, 0, 0), ((0, 0, 0), Z), ((0, 0, 0), Z), *((pin, Z) for pin in pins))
        maker.join("Revolute", maker.ground(), shaft[0], "bearing")
        _drive(maker, shaft[1], table)
        for number, (pin, phase, z) in enumerate(zip(pins, phases, deep, strict=True), 1):
            _, b, _, _ = geometry(0.0, phase)
            end = pin + rod * np.array([math.cos(b), math.sin(b), 0])
            ports = maker.body(f"rod{number}", rod_mass, (0.001, 0.003, rod_inertia), (pin + end) / 2, (pin, Z), (end, Z))
            slides = maker.body(f"piston{number}", piston, (0.001, 0.001, 0.001), end, (end, Z), (end, X))
            maker.join("Revolute", shaft[1 + number], ports[0], f"big{number}")
            maker.join("Revolute", ports[1], slides[0], f"small{number}")
            maker.join("Prismatic", maker.ground((0, 0, z), X), slides[1], f"guide{number}")
        return maker.made()

    reference = _by_quadrature(rates, (0.0, 0.0), [time for time, _ in table])
    return Machine(
        name=f"{cylinders} slider-cranks", redundant=3 * cylinders, make=make, measure="bearing.rotation.q", reference=reference, stop=1.0
    )


def cart(wheels: int, seed: int) -> Machine:
    """An axle held level, whose wheels roll while a torque turns it."""
    choice = random.Random(seed)
    radius, table = 0.15, load(choice, 0.5, 2.0)
    places = np.linspace(-0.4, 0.4, wheels)
    wheel_mass, axial, across, inertia = 0.8, 0.012, 0.02, 0.015
    total = inertia + sum(across + wheel_mass * y**2 + axial * (y / radius) ** 2 for y in places)

    def make(variant: Variant) -> System:
        maker = Maker(f"cart {wheels}", variant, upright=False)
        at = (0.0, 0.0, radius)
        middle, loaded, *hubs = maker.body("axle", 0.4, (inertia,) * 3, at, (at, Z), (at, Z), *(((0, y, radius), Y) for y in places))
        maker.join("Planar", maker.ground(at), middle, "level")
        _drive(maker, loaded, table)
        for number, (y, hub) in enumerate(zip(places, hubs, strict=True), 1):
            place = (0.0, y, radius)
            ports = maker.body(f"wheel{number}", wheel_mass, (across, axial, across), place, (place, Y), (place, Y))
            maker.join("Revolute", hub, ports[0], f"hub{number}")
            maker.join("RollingDisc", maker.ground(), ports[1], f"rolling{number}", radius=radius)
        return maker.made()

    return Machine(
        name=f"cart of {wheels} wheels",
        redundant=2 * wheels - 1,
        make=make,
        measure="level.rotation.q",
        reference=_turned(table, total),
        stop=2.0,
    )


def doors(hinges: int, seed: int) -> Machine:
    """A pendulum on several hinges in a row."""
    choice = random.Random(seed)
    mass, length, inertia = choice.uniform(1, 3), choice.uniform(0.3, 0.6), choice.uniform(0.05, 0.2)
    table = load(choice, 2.0, 2.0)
    total = inertia + mass * length**2

    def make(variant: Variant) -> System:
        maker = Maker(f"door {hinges}", variant)
        at = (0.0, -length, 0.0)
        places = [(0.0, 0.0, 0.2 * k) for k in range(hinges)]
        loaded, *ports = maker.body("door", mass, (inertia,) * 3, at, (at, Z), *((place, Z) for place in places))
        for number, (place, port) in enumerate(zip(places, ports, strict=True), 1):
            maker.join("Revolute", maker.ground(place), port, f"hinge{number}")
        _drive(maker, loaded, table)
        return maker.made()

    hangs = -math.pi / 2
    reference = _turned(table, total, weight=9.81 * mass * length, start=hangs)
    return Machine(
        name=f"pendulum on {hinges} hinges",
        redundant=5 * (hinges - 1),
        make=make,
        measure="hinge1.rotation.q",
        reference=reference,
        stop=2.0,
    )


def bouncing(guides: int, seed: int) -> Machine:
    """A slide in several guides that a constant force throws against a stop, again and again."""
    choice = random.Random(seed)
    mass, force, gap, e = choice.uniform(1, 3), choice.uniform(5, 20), choice.uniform(0.1, 0.3), 0.6
    stop = 2.0

    def reference(times: np.ndarray) -> np.ndarray:
        a, t, v, found = force / mass, 0.0, 0.0, np.empty(len(times))
        place = 0.0
        while t <= stop:
            lasts = (-v + math.sqrt(v * v + 2 * a * (gap - place))) / a
            inside = (times >= t) & (times <= t + lasts)
            found[inside] = place + v * (times[inside] - t) + a / 2 * (times[inside] - t) ** 2
            t, v, place = t + lasts, -e * (v + a * lasts), gap
            if abs(v) < 1e-3:
                found[times >= t] = gap
                break
        return found

    def make(variant: Variant) -> System:
        maker = Maker(f"slide {guides}", variant, upright=False)
        places = [(0.0, 0.2 * k, 0.0) for k in range(guides)]
        middle = np.mean(places, axis=0)
        loaded, *ports = maker.body("slide", mass, (0.1, 0.1, 0.1), middle, (middle, X), *((place, X) for place in places))
        for number, (place, port) in enumerate(zip(places, ports, strict=True), 1):
            maker.join("ActuatedPrismatic" if number == 1 else "Prismatic", maker.ground(place, X), port, f"guide{number}")

        def add(system: System) -> None:
            system.add("wall", "mechanical1d.Fixed1D")
            system.add("load", "spatial.FollowerWrench")
            system.connect("load.M", loaded)
            system.drive("load.Fz", force)

        maker.beside(add)
        system = maker.made()
        system.join("mechanical1d.EndStop", "wall.flange", "guide1.flange", {"low": -50.0, "high": gap, "e": e}, name="stop")
        return system

    return Machine(
        name=f"slide in {guides} guides against a stop",
        redundant=5 * (guides - 1),
        make=make,
        measure="guide1.translation.q",
        reference=reference,
        stop=stop,
        true="was hit",
    )


def family() -> list[Machine]:
    """Thirty machines with 1 to 20 redundant constraints and more."""
    return [
        *(slider_cranks(count, seed) for count, seed in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (2, 7), (3, 8))),
        *(parallelogram(count, seed) for count, seed in ((2, 1), (3, 2), (4, 3), (3, 4), (2, 5))),
        *(bearings(count, seed) for count, seed in ((2, 1), (3, 2), (4, 3), (5, 4))),
        *(cart(count, seed) for count, seed in ((2, 1), (3, 2), (4, 3), (2, 4), (4, 5))),
        *(doors(count, seed) for count, seed in ((2, 1), (3, 2), (4, 3), (5, 4))),
        *(bouncing(count, seed) for count, seed in ((2, 1), (3, 2), (4, 3), (2, 4))),
    ]


@dataclass(frozen=True, kw_only=True)
class Found:
    """The results of a run of a variant."""

    error: float
    """The greatest, by the tolerance and the greatest value."""
    steps: int
    redundant: int
    others: tuple[str, ...]
    """Warnings that are not true of the machine."""
    sentence: str


def variants() -> list[Variant]:
    """All headings, orders and cuts."""
    return [Variant(heading=heading, order=order, cut=cut) for heading in HEADINGS for order in range(ORDERS) for cut in range(1, CUTS + 1)]


def run(machine: Machine, variant: Variant, *, rtol: float = 1e-8, **options: object) -> Found:
    result: Result = machine.make(variant).simulate(machine.stop, rtol=rtol, **options)  # type: ignore[arg-type]  # of several types
    if not result.outcome.completed:
        return Found(error=math.inf, steps=0, redundant=0, others=tuple(result.outcome.warnings), sentence=result.outcome.sentence)
    value = result[machine.measure] - result[machine.measure][0]
    right = machine.reference(result.time)
    counted = [int(each.split()[0]) for each in result.outcome.warnings if "of least length is taken" in each]
    return Found(
        error=float(np.abs(value - right).max() / (rtol * max(1.0, np.abs(right).max()))),
        steps=result.statistics.steps,
        redundant=max(counted, default=0),
        others=tuple(each for each in result.outcome.warnings if machine.true not in each and "of least length is taken" not in each),
        sentence=result.outcome.sentence,
    )
