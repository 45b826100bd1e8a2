"""The arm of an excavator of the 2 t class: its dimensions, and its inverse kinematics.

Lengths are in m, angles in rad. Points are complex numbers: the real part points ahead, the imaginary part upwards, and 0 lies on the
ground below the foot of the boom. Each link has a frame of its own, in the pin about which it turns, its real axis towards the pin
that comes next.
"""

from __future__ import annotations

from cmath import phase, rect
from dataclasses import dataclass
from math import radians, sqrt

# 1. Dimensions. The bucket hangs on the stick by a linkage of four bars: the rocker, which the bucket cylinder turns, the link that
# goes from the rocker to the bucket, the bucket, and the stick.


@dataclass(frozen=True)
class Link:
    mass: float
    """in kg"""
    inertia: float
    """about the mass centre, in kg.m2"""
    centre: complex
    pins: dict[str, complex]


LINKS = {
    "boom": Link(
        115.0, 42.0, 0.92 + 0.24j, {"foot": 0j, "stick": 1.95 + 0j, "boom cylinder": 0.90 + 0.32j, "stick cylinder": 0.95 + 0.42j}
    ),
    "stick": Link(
        58.0,
        7.0,
        0.38 + 0.08j,
        {"boom": 0j, "bucket": 1.05 + 0j, "stick cylinder": -0.30 + 0.10j, "bucket cylinder": 0.05 + 0.22j, "rocker": 0.86 + 0.03j},
    ),
    "rocker": Link(6.0, 0.05, 0.13 + 0j, {"stick": 0j, "link": 0.26 + 0j}),
    "link": Link(7.0, 0.06, 0.135 + 0j, {"rocker": 0j, "bucket": 0.27 + 0j}),
    "bucket": Link(52.0, 3.2, 0.33 + 0.12j, {"stick": 0j, "link": rect(0.20, radians(105)), "tip": 0.75 + 0j}),
}
FOOT, CYLINDER_FOOT = 0.55j, 0.28 + 0.35j
"""Hinges of the boom and of its cylinder on the machine."""


@dataclass(frozen=True)
class Cylinder:
    piston: float
    rod: float
    closed: float
    """Distance of its eyes when the rod is drawn in."""
    stroke: float


CYLINDERS = {
    "boom": Cylinder(0.070, 0.040, 0.70, 0.45),
    "stick": Cylinder(0.065, 0.040, 0.80, 0.55),
    "bucket": Cylinder(0.060, 0.035, 0.68, 0.41),
}


# 2. Inverse kinematics, with rates. What is wanted is the tip of the bucket, and the direction from the bucket's pin to it.


class OutOfReach(ValueError):
    """A pose that the arm cannot take; the text says by how much."""


@dataclass(frozen=True)
class Moving:
    """A point and its velocity."""

    point: complex
    velocity: complex = 0j

    def distance(self, other: Moving) -> tuple[float, float]:
        """The distance to another point, and its rate."""
        between = self.point - other.point
        length = abs(between)
        return length, dot(between, self.velocity - other.velocity) / length


@dataclass(frozen=True)
class Placed:
    """A link in its place: its angle and angular velocity, and where its frame has its origin."""

    origin: Moving
    angle: float
    rate: float

    @classmethod
    def between(cls, near: Moving, far: Moving) -> Placed:
        """A link that goes from one pin to the next."""
        arm = far.point - near.point
        return cls(near, phase(arm), ((far.velocity - near.velocity) / arm).imag)

    def at(self, point: complex) -> Moving:
        """A point of its own frame."""
        arm = point * rect(1, self.angle)
        return Moving(self.origin.point + arm, self.origin.velocity + 1j * self.rate * arm)

    def pin(self, link: str, name: str) -> Moving:
        return self.at(LINKS[link].pins[name])


def dot(a: complex, b: complex) -> float:
    return (a.conjugate() * b).real


def meeting(what: str, a: Moving, length_a: float, b: Moving, length_b: float) -> Moving:
    """Returns the point where two bars meet that are hinged at a and b. It is the one on the left of the way from a to b."""
    across, distance = b.point - a.point, abs(b.point - a.point)
    along = (distance**2 + length_a**2 - length_b**2) / (2 * distance)
    if abs(along) >= length_a:
        raise OutOfReach(
            f"{what} is out of reach: the hinges lie {distance:.3f} m apart, and the bars between them are {length_a:g} m and {length_b:g} m"
            " long; give a pose in which they meet"
        )
    point = a.point + across / distance * complex(along, sqrt(length_a**2 - along**2))
    # The length of neither bar changes, so each fixes a component of the velocity.
    u, w = point - a.point, point - b.point
    velocity = 1j * (dot(w, b.velocity) * u - dot(u, a.velocity) * w) / dot(1j * u, w)
    return Moving(point, velocity)


def placed(tip: Moving, angle: float, rate: float) -> dict[str, Placed]:
    """All links, for a bucket whose tip is there and points that way."""

    def length(link: str, pin: str) -> float:
        return abs(LINKS[link].pins[pin])

    arm = rect(length("bucket", "tip"), angle)
    wrist = Moving(tip.point - arm, tip.velocity - 1j * rate * arm)
    foot = Moving(FOOT)
    elbow = meeting("the pin of the bucket", foot, length("boom", "stick"), wrist, length("stick", "bucket"))
    stick, bucket = Placed.between(elbow, wrist), Placed(wrist, angle, rate)
    hinge, lug = stick.pin("stick", "rocker"), bucket.pin("bucket", "link")
    knee = meeting("the angle of the bucket", hinge, length("rocker", "link"), lug, length("link", "bucket"))
    return {
        "boom": Placed.between(foot, elbow),
        "stick": stick,
        "rocker": Placed.between(hinge, knee),
        "link": Placed.between(knee, lug),
        "bucket": bucket,
    }


def cylinder_lengths(links: dict[str, Placed]) -> dict[str, tuple[float, float]]:
    """The distance of the eyes of each cylinder, and its rate; refuses those beyond a stroke."""

    def pin(link: str, name: str) -> Moving:
        return links[link].pin(link, name)

    found = {
        "boom": pin("boom", "boom cylinder").distance(Moving(CYLINDER_FOOT)),
        "stick": pin("stick", "stick cylinder").distance(pin("boom", "stick cylinder")),
        "bucket": pin("rocker", "link").distance(pin("stick", "bucket cylinder")),
    }
    for name, (length, _) in found.items():
        shortest, longest = CYLINDERS[name].closed, CYLINDERS[name].closed + CYLINDERS[name].stroke
        if not shortest < length < longest:
            raise OutOfReach(
                f"the {name} cylinder would have to be {length:.3f} m long, but reaches from {shortest:g} m to {longest:g} m; give another pose"
            )
    return found
