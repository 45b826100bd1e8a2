"""Pictures of components in a drawing of their mechanism, to scale: words that name their ports and variables.

A component states them beside its icon, in its class attribute ``picture``. They travel in its FMU, and drawing needs no catalogue.
Joints need no words: the symbol follows from their freedoms.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

Value = str | float
"""A number, or the name of the parameter or output that has it."""


@dataclass(frozen=True, eq=False)
class Deformed:
    """Nodes that move by the sum of ``shapes``, each times its amplitude, with the triangles or lines between them."""

    amplitudes: Sequence[str]
    """Names of states or outputs."""
    nodes: Sequence[Sequence[float]]
    shapes: Sequence[Sequence[Sequence[float]]]
    """Displacements per amplitude, by shape, node and axis."""
    triangles: Sequence[Sequence[int]] = ()
    """Numbers of three nodes, anticlockwise as they are seen from outside."""
    lines: Sequence[Sequence[int]] = ()
    """Numbers of the nodes along each line."""


@dataclass(frozen=True)
class Word:
    """A thing to be drawn at ports of the component, or between them."""

    kind: str
    ports: tuple[str, ...] = ()
    values: tuple[tuple[str, Value], ...] = ()
    deformed: Deformed | None = None

    def named(self) -> Mapping[str, Value]:
        return dict(self.values)


@dataclass(frozen=True)
class Picture:
    """The words of a component, and of a rigid body the variables from which its pose follows."""

    words: tuple[Word, ...] = ()
    pose: tuple[str, ...] | None = None
    """Variables: ``x y theta``, or ``x y z q0 q1 q2 q3``; none at all of a body at rest in the absolute frame. The points of its ports are their
    parameters ``rx``, ``ry`` and so on. None where each port that gives motion is a frame of its own."""
    origin: str | None = None
    """Port that moves with the body; it replaces a pose."""
    centre: tuple[str, ...] = ()
    """Parameters of the mass centre in the body frame, where it is not the origin."""

    def missing(self, ports: Collection[str], variables: Collection[str]) -> str:
        """Returns the complaint about a port or variable that the picture names and the component does not have; empty where all exist."""
        for port in (*(port for word in self.words for port in word.ports), *filter(None, [self.origin])):
            if port not in ports:
                return f"names the port '{port}', which it does not have; it has {', '.join(sorted(ports))}"
        values = (value for word in self.words for _, value in word.values if isinstance(value, str))
        amplitudes = (name for word in self.words if word.deformed for name in word.deformed.amplitudes)
        for name in (*(self.pose or ()), *self.centre, *values, *amplitudes):
            if name not in variables:
                return f"names the variable '{name}', which is not declared"
        return ""


def picture(*words: Word) -> Picture:
    """Returns the picture of a component that is no body."""
    return Picture(words)


def body(*pose: str, inertia: bool = True) -> Picture:
    """A rigid body: the hull of its points and, where it has any ``inertia``, its mass centre and in the plane its circle of gyration."""
    massive = (Word("centre"), *([Word("inertia", (), (("m", "m"), ("I", "I")))] if len(pose) == 3 else []))
    return Picture((Word("link"), *(massive if inertia else ())), pose)


def block(joint: str, axes: str) -> Picture:
    """A body that hangs on the joint at its port ``P``, the origin of its frame. Its pose is no variable, and follows from that of ``C1``."""
    sliding = {"prismatic": "z", "translational": "x"}
    hinge = rail("P", "C1", sliding[joint], origin=True) if joint in sliding else pin("P") if joint == "revolute" else square("P")
    words = (hinge, Word("link", (), (("origin", 1.0),)), Word("centre"))
    return Picture(words, None, "C1", tuple(f"r{axis}" for axis in axes))


def rest(*words: Word) -> Picture:
    """Something fixed to the absolute frame."""
    return Picture(words, ())


def fixed(port: str) -> Word:
    """A point of the ground."""
    return Word("fixed", (port,))


def pin(port: str) -> Word:
    """A hinge; in space its axis is the axis z of the port."""
    return Word("pin", (port,))


def ball(port: str, radius: Value = 0.0) -> Word:
    """A sphere; without a radius that of a joint."""
    return Word("ball", (port,), (("radius", radius),))


def rail(a: str, b: str, axis: str, *, origin: bool = False) -> Word:
    """A slider at ``b``, or at the origin of its body, that moves along an axis of ``a``: x, y or z."""
    return Word("rail", (a, b), (("axis", float("xyz".index(axis))), *([("origin", 1.0)] if origin else [])))


def guide(a: str, b: str, axis: str) -> Word:
    """A rail along an axis of ``a``, as far as ``b`` comes, which may lie beside it."""
    return Word("guide", (a, b), (("axis", float("xyz".index(axis))),))


def square(port: str) -> Word:
    """A joint that leaves no freedom."""
    return Word("square", (port,))


def coil(a: str, b: str) -> Word:
    """A spring that stretches between two ports."""
    return Word("coil", (a, b))


def dashpot(a: str, b: str) -> Word:
    """A dashpot between two ports, beside a spring."""
    return Word("dashpot", (a, b))


def piston(a: str, b: str) -> Word:
    """A cylinder at ``a`` whose rod reaches to ``b``."""
    return Word("piston", (a, b))


def rod(a: str, b: str) -> Word:
    """A thin bar between two ports."""
    return Word("rod", (a, b))


def bent(a: str, b: str, length: Value, clamped: Value | None = None) -> Word:
    """The centre line of a beam between its ends, which move in the mean frame whose pose the picture gives. A block is ``clamped`` at ``a``
    instead, at this angle of the port in its frame."""
    return Word("bent", (a, b), (("length", length), *([("clamped", clamped)] if clamped is not None else [])))


def elastic(deformed: Deformed, scale: Value = 1.0, root: str | None = None) -> Word:
    """An elastic part in space, in the mean frame whose pose the picture gives, or in the axes of its ``root``. The ``scale`` multiplies its
    nodes, not its shapes."""
    return Word("elastic", () if root is None else (root,), (("scale", scale),), deformed)


def wheel(port: str, radius: Value) -> Word:
    """A disc with spokes; in space its axis is the axis z of the port."""
    return Word("wheel", (port,), (("radius", radius),))


def gear(port: str, radius: Value) -> Word:
    """A gearwheel about a port, by its pitch radius; negative of one that runs inside another."""
    return Word("gear", (port,), (("radius", radius),))


def level(a: str, b: str) -> Word:
    """A rail or plane that ``b`` moves along: in the plane the axis x of ``a``, in space its plane of x and y."""
    return Word("level", (a, b))


def bush(a: str, b: str) -> Word:
    """A sleeve of rubber at ``a``, about a core at ``b``."""
    return Word("bush", (a, b))


def tyre(port: str, radius: Value) -> Word:
    """A wheel that is seen from above and rolls along the axis x of the port."""
    return Word("tyre", (port,), (("radius", radius),))


def cart(port: str, direction: Value) -> Word:
    """A cart that carries a point along an absolute direction."""
    return Word("cart", (port,), (("direction", direction),))


def blade(port: str) -> Word:
    """An edge along the axis x of the port, which it does not leave sideways."""
    return Word("blade", (port,))


def cam(port: str, radius: Value, harmonics: int) -> Word:
    """A profile about the port: its mean radius, and the parameters ``cos[1]``, ``sin[1]`` and so on of its harmonics."""
    return Word(
        "cam", (port,), (("radius", radius), *((name, name) for k in range(1, harmonics + 1) for name in (f"cos[{k}]", f"sin[{k}]")))
    )


def joint_picture(names: Collection[str], spatial: bool) -> Picture:
    """The symbol of a joint between M and N, by the names of its variables: N slides on M, turns about itself, or is held in all directions."""
    words = [rail("M", "N", "z" if spatial else "x")] if "translation.q" in names else []
    if "rotation.q" in names:
        words.append(pin("N"))
    if not words and f"position[{6 if spatial else 3}]" in names:
        words.append(square("N"))
    return Picture(tuple(words))
