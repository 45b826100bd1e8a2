"""``docs/pictures/frame-*.svg``: frames of bodies and joints, after figures 3 to 5 of Part I."""

from __future__ import annotations

from math import cos, hypot, pi, sin
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "pictures"
Point = tuple[float, float]
_SCALE, _INK, _BODY, _JOINT = 100.0, "#34495e", "#d6e4f0", "#c0392b"


class Drawing:
    """A picture in units of its own, with y upwards; texts of several letters in ``_`` braces are indices."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.items: list[str] = []

    def at(self, point: Point) -> str:
        return f"{point[0] * _SCALE:.1f},{(self.height - point[1]) * _SCALE:.1f}"

    def body(self, *points: Point) -> None:
        """A closed smooth outline around points."""
        middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(points, (*points[1:], points[0]), strict=True)]
        curves = " ".join(
            f"Q{self.at(corner)} {self.at(end)}" for corner, end in zip((*points[1:], points[0]), (*middles[1:], middles[0]), strict=True)
        )
        self.items.append(f'<path d="M{self.at(middles[0])} {curves}Z" fill="{_BODY}" stroke="{_INK}"/>')

    def arrow(self, a: Point, b: Point, colour: str = _INK, dashed: bool = False) -> None:
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        length = hypot(b[0] - a[0], b[1] - a[1])
        u, v = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        wings = [(b[0] - 0.12 * u + side * 0.05 * v, b[1] - 0.12 * v - side * 0.05 * u) for side in (1, -1)]
        self.items.append(f'<path d="M{self.at(a)} L{self.at(b)}" stroke="{colour}" fill="none"{dash}/>')
        self.items.append(f'<path d="M{self.at(b)} L{self.at(wings[0])} L{self.at(wings[1])}Z" fill="{colour}"/>')

    def line(self, a: Point, b: Point, colour: str = _INK) -> None:
        self.items.append(f'<path d="M{self.at(a)} L{self.at(b)}" stroke="{colour}" stroke-dasharray="5 4" fill="none"/>')

    def axes(self, origin: Point, angle: float, names: tuple[str, str], colour: str = _INK, length: float = 0.9) -> None:
        """Two axes at a right angle; the names stand at their ends."""
        for turn, name in ((angle, names[0]), (angle + pi / 2, names[1])):
            self.arrow(origin, _along(origin, turn, length), colour)
            self.text(_along(origin, turn, length + 0.17), name, colour)

    def arc(self, centre: Point, radius: float, start: float, end: float, name: str) -> None:
        a, b = _along(centre, start, radius), _along(centre, end, radius)
        size = f"{radius * _SCALE:.1f}"
        self.items.append(f'<path d="M{self.at(a)} A{size},{size} 0 0 0 {self.at(b)}" stroke="{_INK}" fill="none"/>')
        self.text(_along(centre, (start + end) / 2, radius + 0.12 + 0.045 * len(name)), name)

    def point(self, place: Point, name: str, off: Point = (-0.14, 0.14), colour: str = _INK) -> None:
        x, y = self.at(place).split(",")
        self.items.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>')
        self.text((place[0] + off[0], place[1] + off[1]), name, colour)

    def text(self, place: Point, name: str, colour: str = _INK) -> None:
        x, y = self.at(place).split(",")
        base, _, index = name.partition("_")
        lowered = f'<tspan dy="4" font-size="11">{index}</tspan>' if index else ""
        self.items.append(f'<text x="{x}" y="{y}" dy="5" text-anchor="middle" fill="{colour}">{base}{lowered}</text>')

    def __str__(self) -> str:
        size = f"{self.width * _SCALE:.0f} {self.height * _SCALE:.0f}"
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="15" stroke-width="1.5">'
        return "\n".join([head, f"<title>{self.title}</title>", '<rect width="100%" height="100%" fill="white"/>', *self.items, "</svg>\n"])


def _along(origin: Point, angle: float, length: float) -> Point:
    return origin[0] + length * cos(angle), origin[1] + length * sin(angle)


def _ground(drawing: Drawing) -> None:
    drawing.axes((0.4, 0.4), 0.0, ("x_0", "y_0"), length=0.8)
    drawing.point((0.4, 0.4), "O", (-0.15, -0.12))


def body() -> Drawing:
    """Figure 3 of Part I: one body with a port."""
    found = Drawing(6.2, 4.2, "Frames of a body: mass centre G, port p1 at point M")
    G, M, theta, relative = (2.6, 1.8), (4.5, 2.75), 0.35, 0.75
    found.body((1.9, 1.2), (3.2, 1.1), (5.0, 2.3), (4.9, 3.1), (3.8, 2.9), (2.1, 2.6))
    _ground(found)
    found.axes(G, theta, ("x_i", "y_i"), length=1.0)
    found.line(G, _along(G, 0.0, 1.6))
    found.arc(G, 0.7, 0.0, theta, "θ")
    found.point(G, "G", (-0.16, -0.1))
    found.axes(M, theta + relative, ("x_il", "y_il"), _JOINT)
    found.line(M, _along(M, theta, 1.4))
    found.arc(M, 0.6, theta, theta + relative, "p1.angle")
    found.point(M, "M", (0.05, -0.2), _JOINT)
    found.arrow(G, M, "#7f8c8d", dashed=True)
    found.text((3.2, 2.55), "(p1.rx, p1.ry)")
    return found


def joint() -> Drawing:
    """Figure 4 of Part I: two bodies with the frames of their joint."""
    found = Drawing(7.6, 4.2, "Frames of a joint: M on body i, N on body j")
    M, N, first, second = (2.9, 2.2), (5.0, 2.6), 0.5, 1.1
    found.body((1.0, 1.2), (2.4, 1.0), (3.3, 2.0), (3.0, 2.8), (1.6, 2.4))
    found.body((4.6, 2.3), (5.4, 1.5), (6.9, 1.7), (6.8, 2.8), (5.2, 3.2))
    _ground(found)
    found.point((1.9, 1.75), "G_i", (-0.16, -0.14))
    found.point((6.1, 2.2), "G_j", (0.2, -0.14))
    found.axes(M, first, ("x_il", "y_il"), _JOINT)
    found.axes(N, second, ("x_jl", "y_jl"), _JOINT)
    found.arrow(M, N, dashed=True)
    found.text((3.95, 2.22), "MN")
    found.point(M, "M", (-0.05, -0.2), _JOINT)
    found.point(N, "N", (0.1, -0.2), _JOINT)
    return found


def translational() -> Drawing:
    """Figure 5 of Part I: a translational joint; both axes x lie on one line."""
    found = Drawing(7.0, 3.8, "Translational joint: MN.y_il = 0, and both axes are parallel")
    angle = 0.35
    M = (1.8, 1.2)
    N = _along(M, angle, 2.6)
    found.body((0.9, 0.6), (2.2, 0.5), (2.5, 1.5), (1.6, 1.9), (0.8, 1.3))
    found.body((3.7, 1.7), (5.0, 1.5), (5.5, 2.4), (4.6, 2.9), (3.6, 2.5))
    found.line(_along(M, angle, -0.9), _along(M, angle, 4.6), _JOINT)
    for place, names in ((M, ("", "y_il")), (N, ("", "y_jl"))):
        found.axes(place, angle, names, _JOINT)
    found.text((2.75, 1.8), "x_il", _JOINT)
    found.text((5.2, 2.75), "x_jl", _JOINT)
    found.point(M, "M", (0.1, -0.2), _JOINT)
    found.point(N, "N", (0.1, -0.2), _JOINT)
    found.text((3.25, 1.3), "translation.q")
    return found


PICTURES = {"frame-body": body, "frame-joint": joint, "frame-translational": translational}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(str(draw()), encoding="utf-8")
