"""Port kinds: which variables a connection carries, in which direction, and how they are related in time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

import sympy


class Side(Enum):
    """The side of a port that computes a value: bodies, volumes and nodes give motion; joints, pipes and windings give effort."""

    MOTION = "motion"
    EFFORT = "effort"

    @property
    def opposite(self) -> Side:
        return Side.EFFORT if self is Side.MOTION else Side.MOTION


@dataclass(frozen=True)
class Quantity:
    """One variable of a port."""

    name: str
    unit: str
    text: str
    order: int = 0
    """Number of time derivatives above the coordinate of its chain."""
    start: float = 0.0
    """Value of an input of this quantity before anything is set."""


@dataclass(frozen=True)
class PortKind:
    """A kind of connection.

    ``chains`` holds, for each coordinate, the quantity and its time derivatives, as the motion side gives them; a chain may begin with a
    rate that is no derivative of a coordinate. ``effort`` holds the conjugate quantities of the other side, one per chain: effort times
    rate is power into the motion side, except in kinds that are not ``powered``.
    """

    name: str
    identifier: str
    chains: tuple[tuple[Quantity, ...], ...]
    effort: tuple[Quantity, ...]
    attitude: tuple[Quantity, ...] = ()
    """Quantities that the motion side gives beside the chains: entries of a rotation matrix, which have no rates of their own."""
    signs: str = ""
    """Sign conventions of the quantities, in sentences."""
    powered: bool = True
    """Effort times rate is power; False for flows of mass or heat."""
    colour: str = "#5d6d7e"
    """Colour of the kind's ports in drawings, as ``#rrggbb``."""

    @property
    def terminal_kind(self) -> str:
        """Name of the kind in FMI. Its prefix keeps it apart from the names of other organisations."""
        return f"org.jourdain.{self.identifier}"

    @property
    def added(self) -> tuple[Quantity, ...]:
        """Quantities that add up where several ports meet: efforts, flows and currents."""
        return self.effort

    @property
    def torques(self) -> tuple[Quantity, ...]:
        """The efforts that need something which has an attitude to act on; none of kinds that have no attitude."""
        return tuple(quantity for quantity in self.effort if self.attitude and quantity.unit == "N.m")

    @property
    def pairs(self) -> tuple[tuple[Quantity, Quantity], ...]:
        """Each effort with its conjugate: the rate, or what has no rate."""
        rates = (next((q for q in chain if q.order == 1), chain[0]) for chain in self.chains)
        return tuple(zip(self.effort, rates, strict=True))

    @property
    def power(self) -> tuple[tuple[Quantity, Quantity], ...]:
        """The pairs whose product is the power into the motion side."""
        return self.pairs if self.powered else ()

    @property
    def motion(self) -> tuple[Quantity, ...]:
        """All quantities given by the motion side: first the coordinates, then their rates."""
        return tuple(sorted((*(q for chain in self.chains for q in chain), *self.attitude), key=lambda q: q.order))

    def given_by(self, side: Side) -> tuple[Quantity, ...]:
        return self.motion if side is Side.MOTION else self.effort


def _chain(*quantities: tuple[str, str, str], first: int = 0) -> tuple[Quantity, ...]:
    return tuple(Quantity(name, unit, text, order) for order, (name, unit, text) in enumerate(quantities, first))


PLANAR = PortKind(
    "planar frame",
    "planar",
    chains=(
        _chain(
            ("x", "m", "absolute x of the point"),
            ("vx", "m/s", "absolute x velocity of the point"),
            ("ax", "m/s2", "absolute x acceleration of the point"),
        ),
        _chain(
            ("y", "m", "absolute y of the point"),
            ("vy", "m/s", "absolute y velocity of the point"),
            ("ay", "m/s2", "absolute y acceleration of the point"),
        ),
        _chain(
            ("theta", "rad", "absolute angle of the joint axis"),
            ("omega", "rad/s", "absolute angular velocity"),
            ("alpha", "rad/s2", "absolute angular acceleration"),
        ),
    ),
    effort=(
        Quantity("Fx", "N", "force on the body along the absolute x axis"),
        Quantity("Fy", "N", "force on the body along the absolute y axis"),
        Quantity("Cz", "N.m", "torque on the body about the point"),
    ),
    signs="Wrenches act on the body, in the absolute frame, about the port’s point. Angles, angular velocities and torques are positive "
    "counter-clockwise, from x towards y.",
    colour="#1d6fb8",
)
SPATIAL = PortKind(
    "spatial frame",
    "spatial",
    chains=(
        *(
            _chain(
                (axis, "m", f"absolute {axis} of the point"),
                (f"v{axis}", "m/s", f"absolute {axis} velocity of the point"),
                (f"a{axis}", "m/s2", f"absolute {axis} acceleration of the point"),
            )
            for axis in "xyz"
        ),
        *(
            _chain(
                (f"omega{axis}", "rad/s", f"angular velocity about the absolute {axis} axis"),
                (f"alpha{axis}", "rad/s2", f"angular acceleration about the absolute {axis} axis"),
                first=1,
            )
            for axis in "xyz"
        ),
    ),
    effort=(
        *(Quantity(f"F{axis}", "N", f"force on the body along the absolute {axis} axis") for axis in "xyz"),
        *(Quantity(f"C{axis}", "N.m", f"torque on the body about the point, along the absolute {axis} axis") for axis in "xyz"),
    ),
    attitude=tuple(
        Quantity(f"R{row}{column}", "", f"absolute {along} of the axis {axis} of the port’s frame", start=float(row == column))
        for row, along in enumerate("xyz", 1)
        for column, axis in enumerate("xyz", 1)
    ),
    signs="Wrenches act on the body, in the absolute frame, about the port’s point. The columns of R are the axes of the port’s frame in "
    "absolute coordinates. Rotations and torques about an axis are positive by the right-hand rule.",
    colour="#0b7a75",
)
ROTATIONAL = PortKind(
    "rotational flange",
    "rotational",
    chains=(_chain(("phi", "rad", "angle"), ("w", "rad/s", "angular velocity"), ("a", "rad/s2", "angular acceleration")),),
    effort=(Quantity("tau", "N.m", "torque on the side that gives the motion"),),
    colour="#8e44ad",
)
TRANSLATIONAL = PortKind(
    "translational flange",
    "translational",
    chains=(_chain(("s", "m", "position"), ("v", "m/s", "velocity"), ("a", "m/s2", "acceleration")),),
    effort=(Quantity("f", "N", "force on the side that gives the motion"),),
    colour="#1e8449",
)
HYDRAULIC = PortKind(
    "hydraulic",
    "hydraulic",
    chains=((Quantity("p", "Pa", "pressure"),),),
    effort=(Quantity("q", "m3/s", "volume flow into the side that gives the pressure"),),
    signs="Flow is positive into the side that gives the pressure.",
    colour="#c0392b",
)
ELECTRICAL = PortKind(
    "electrical pin pair",
    "electrical",
    chains=((Quantity("v", "V", "voltage"),),),
    effort=(Quantity("i", "A", "current into the side that gives the voltage"),),
    signs="Current is positive into the side that gives the voltage.",
    colour="#b9770e",
)
PNEUMATIC = PortKind(
    "pneumatic",
    "pneumatic",
    chains=((Quantity("pressure", "Pa", "absolute pressure of the gas"),),),
    effort=(Quantity("mass_flow", "kg/s", "mass flow into the side that gives the pressure"),),
    signs="Mass flow is positive into the side that gives the pressure. The temperature of the gas is a parameter of each component.",
    powered=False,
    colour="#2e86c1",
)
THERMAL = PortKind(
    "thermal",
    "thermal",
    chains=((Quantity("temperature", "K", "absolute temperature"),),),
    effort=(Quantity("heat_flow", "W", "heat flow into the side that gives the temperature"),),
    signs="Heat flow is positive into the side that gives the temperature.",
    powered=False,
    colour="#d35400",
)

KINDS = (PLANAR, SPATIAL, ROTATIONAL, TRANSLATIONAL, HYDRAULIC, ELECTRICAL, PNEUMATIC, THERMAL)
KIND_OF_TERMINAL = {kind.terminal_kind: kind for kind in KINDS}


@dataclass(frozen=True)
class Port:
    """A port of a component: ``port.vx`` is the symbol of its variable ``vx``."""

    name: str
    kind: PortKind
    side: Side
    """The side that this component is on."""
    text: str
    torque_free: tuple[str, ...] | None = None
    """Freedom of the port from torque.

    A port that gives motion has a value other than None where it is a point without rotation, which takes no torque. A port that gives
    effort lists here what its equations do not show: the variables that must all be 0 for it to give no torque. It has None where it
    always gives torque.
    """

    def __getattr__(self, member: str) -> sympy.Symbol:
        if member.startswith("_") or all(member != q.name for side in Side for q in self.kind.given_by(side)):
            raise AttributeError(f"a {self.kind.name} has no variable '{member}'")
        return sympy.Symbol(f"{self.name}.{member}", real=True)

    def __getitem__(self, quantity: Quantity) -> sympy.Symbol:
        return getattr(self, quantity.name)

    @property
    def rates(self) -> dict[sympy.Symbol, sympy.Expr]:
        """The time derivative of every variable of this port that has one."""
        return {self[low]: self[high] for chain in self.kind.chains for low, high in pairwise(chain)}

    @property
    def velocities(self) -> tuple[sympy.Symbol, ...]:
        """The rate conjugate to each effort."""
        return tuple(self[rate] for _, rate in self.kind.pairs)

    @property
    def efforts(self) -> tuple[sympy.Symbol, ...]:
        return tuple(self[quantity] for quantity in self.kind.effort)


class PlanarFrame(Port):
    """A planar port with the vectors from which constraints are written: the point and the two axes of the joint frame."""

    def __init__(self, name: str, side: Side, text: str, torque_free: tuple[str, ...] | None = None) -> None:
        super().__init__(name, PLANAR, side, text, torque_free)

    @property
    def point(self) -> sympy.Matrix:
        return sympy.Matrix([self.x, self.y])

    @property
    def velocity(self) -> sympy.Matrix:
        return sympy.Matrix([self.vx, self.vy])

    @property
    def x_axis(self) -> sympy.Matrix:
        return sympy.Matrix([sympy.cos(self.theta), sympy.sin(self.theta)])

    @property
    def y_axis(self) -> sympy.Matrix:
        return sympy.Matrix([-sympy.sin(self.theta), sympy.cos(self.theta)])


class SpatialFrame(Port):
    """A spatial port with the vectors from which constraints are written: the point, the three axes of its frame, the velocities."""

    def __init__(self, name: str, side: Side, text: str, torque_free: tuple[str, ...] | None = None) -> None:
        super().__init__(name, SPATIAL, side, text, torque_free)

    @property
    def point(self) -> sympy.Matrix:
        return sympy.Matrix([self.x, self.y, self.z])

    @property
    def velocity(self) -> sympy.Matrix:
        return sympy.Matrix([self.vx, self.vy, self.vz])

    @property
    def omega(self) -> sympy.Matrix:
        """The absolute angular velocity."""
        return sympy.Matrix([self.omegax, self.omegay, self.omegaz])

    @property
    def R(self) -> sympy.Matrix:
        """The rotation matrix, whose columns are the axes."""
        return sympy.Matrix(3, 3, [self[quantity] for quantity in self.kind.attitude])

    @property
    def x_axis(self) -> sympy.Matrix:
        return self.R[:, 0]

    @property
    def y_axis(self) -> sympy.Matrix:
        return self.R[:, 1]

    @property
    def z_axis(self) -> sympy.Matrix:
        return self.R[:, 2]

    @property
    def rates(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Rates of the chains and of the attitude. D R = skew(omega) R, therefore an axis e has the rate omega x e."""
        turning = {
            entry: rate
            for axis in (self.x_axis, self.y_axis, self.z_axis)
            for entry, rate in zip(axis, self.omega.cross(axis), strict=True)
        }
        return super().rates | turning


_FRAMES = {PLANAR: PlanarFrame, SPATIAL: SpatialFrame}


def make_port(name: str, kind: PortKind, side: Side, text: str, torque_free: tuple[str, ...] | None = None) -> Any:
    """The port object whose extra attributes fit the kind."""
    return _FRAMES[kind](name, side, text, torque_free) if kind in _FRAMES else Port(name, kind, side, text, torque_free)
