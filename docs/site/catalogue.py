"""The catalogue: the page of the site with all components, and their icons."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence

from docs.site.components import declarations, libraries
from fmu_components.declare.declaration import Declaration, Role, Variable
from fmu_components.declare.ports import Side
from fmu_components.declare.units import MIXED
from fmu_components.export.pages.icons import svg

ICONS = "icons"
"""Folder of the icons, beside the page."""

_SIDES = {Side.MOTION: "motion", Side.EFFORT: "effort"}
_LONGEST = 160
"""Characters of an equation that a row shows."""
_OF_ALL_JOINTS = ("baumgarte.", "compliant.")
_INTRODUCTION = """# The components

Each component is an FMU for FMI 2.0 and FMI 3.0, for Model Exchange and Co-Simulation. Connect ports of the same kind: one that gives motion with one
that gives effort. Effort times velocity is the power into the side that gives the motion. Angles and torques are positive counter-clockwise, from x
towards y. `documentation/index.html` in each FMU lists all variables and the equations.

Every joint has more variables than its table lists. Parameters of every joint:

- the switch `ideal`;
- `baumgarte.alpha`, `baumgarte.beta` or `baumgarte.gamma` of its stabilisation;
- `compliant.k` and `compliant.c` of its compliant mode (`compliant.vr` for friction);
- for each freedom, such as `rotation`: the stiffness `rotation.k` and damping `rotation.b` of a spring and damper, and the value at rest `rotation.rest`.

Outputs of every joint, where k is the number of a constraint in its table:

- `position[k]` is the expression that the table keeps at zero; `velocity[k]` and `acceleration[k]` are its derivatives. A constraint of velocities has no
  `position[k]`.
- `residual[k]` is the acceleration with its stabilisation. It vanishes for the right multipliers.
- `multiplier[k]` is the multiplier in effect, and `lambda[k]` the multiplier that is set from outside in ideal mode. It is the effort on N along the
  growing constraint; M gets the opposite.

Outputs of every freedom, by its name, such as `rotation`:

- `rotation.q` is its coordinate from the table, with `rotation.qd` and `rotation.qdd`;
- `rotation.effort` is the effort of spring and damper, positive if it increases q;
- `rotation.energy` is the energy in the spring, and `rotation.power` is the power of both into the bodies.

The libraries and their components:
"""


_FRAMES = {
    "planar": (
        "\n![Frames of a body](pictures/frame-body.svg)",
        "\nA body has its mass centre G and a frame whose angle is `theta`. A port such as `p1` is a point M of the body, at (`p1.rx`, `p1.ry`) in "
        "this frame. `p1.angle` is the angle of the joint axis against the axis x of the body. [Theory](theory.md) has the equations.",
        "\n![Frames of a joint](pictures/frame-joint.svg)",
        "\nA joint lies between M on body i and N on body j. Its constraints are written with MN and the axes of both ports, such as x_il and x_jl.",
    )
}
"""Drawings of the frames of a library, and what they show."""


def catalogue_page() -> str:
    """Returns the whole page."""
    chapters = {library: [declarations()[name] for name in names] for library, names in libraries().items()}
    contents = "\n".join(f"- [{library}](#{library}): {', '.join(map(_link, members))}" for library, members in chapters.items())
    parts = [_INTRODUCTION, contents]
    for library, members in chapters.items():
        parts += [f"\n## {library}", *_chapter_introduction(library), *_FRAMES.get(library, ()), *map(_section, members)]
    return "\n".join(parts) + "\n"


def icons() -> dict[str, str]:
    """Returns the icons by their file names."""
    return {f"{name}.svg": svg(declared) for name, declared in declarations().items()}


def _chapter_introduction(library: str) -> list[str]:
    """Returns the paragraphs after the first line of the component folder's docstring, if any."""
    described = inspect.cleandoc(importlib.import_module(f"fmu_components.{library}").__doc__ or "").partition("\n")[2]
    return [f"\n{_text(' '.join(paragraph.split()))}" for paragraph in re.split(r"\n\s*\n", described) if paragraph.strip()]


def _link(declared: Declaration) -> str:
    return f"[{declared.name.split('.')[-1]}](#{_anchor(declared)})"


def _anchor(declared: Declaration) -> str:
    """The anchor that Markdown renderers give to the heading."""
    return declared.name.lower().replace(".", "")


# -- one component ---------------------------------------------------------------------------------------------------


def _section(declared: Declaration) -> str:
    paragraphs = [declared.title + ".", *_first_paragraph(declared)]
    ports = _table(("Port", "Kind", "Gives", "Meaning"), ((f"`{p.name}`", p.kind.name, _SIDES[p.side], p.text) for p in declared.ports))
    parameters = _table(("Parameter", "Default", "Unit", "Meaning"), map(_parameter, _alike(_main_parameters(declared))))
    signals = _table(
        ("Signal input", "Start", "Unit", "Meaning"),
        map(_parameter, ((v,) for v in declared.with_role(Role.INPUT, Role.DISCRETE_INPUT) if v.port is None)),
    )
    states = _table(("State", "Start", "Unit", "Meaning"), map(_parameter, _alike(declared.with_role(Role.STATE, Role.DISCRETE))))
    main = _alike(v for v in declared.with_role(Role.OUTPUT) if _is_main_output(v, declared))
    outputs = _table(("Output", "Unit", "Meaning"), ((name, unit, text) for name, _, unit, text in map(_parameter, main)))
    freedoms = _table(("Freedom", "Unit", "Coordinate q"), (_equation(f"`{name}`", declared[f"{name}.q"]) for name in _freedoms(declared)))
    image = f"![Icon of {declared.name}]({ICONS}/{declared.name}.svg)"
    reference = f"[Equations and all variables](../components/{declared.name}.md)"
    parts = (
        f"\n### {declared.name}",
        reference,
        image,
        *map(_text, paragraphs),
        ports,
        signals,
        parameters,
        states,
        _table(("k", "Unit", "Kept at zero"), _constraints(declared)),
        freedoms,
        outputs,
    )
    return "\n\n".join(part for part in parts if part)


def _first_paragraph(declared: Declaration) -> list[str]:
    """Returns the paragraph after the title, if any."""
    paragraphs = re.split(r"\n\s*\n", declared.description)
    return [" ".join(paragraphs[1].split())] if len(paragraphs) > 1 else []


def _freedoms(declared: Declaration) -> list[str]:
    return [v.name.removesuffix(".rest") for v in declared.with_role(Role.PARAMETER) if v.name.endswith(".rest")]


def _constraints(declared: Declaration) -> Iterator[tuple[str, ...]]:
    """Yields the quantities that a joint keeps at zero, at the level at which they are stated."""
    for k in range(1, len(declared.with_role(Role.ALGEBRAIC)) + 1):
        if f"velocity[{k}]" in declared.by_name:
            yield _equation(str(k), declared.by_name.get(f"position[{k}]", declared[f"velocity[{k}]"]))


def _equation(name: str, variable: Variable) -> tuple[str, ...]:
    equation = str(variable.equation).replace("**", "^").replace("*", " ")
    return (
        name,
        variable.unit or "1",
        f"`{equation}`" if len(equation) <= _LONGEST else f"`{equation[:_LONGEST].rpartition(' + ')[0]} + ...`",
    )


def _main_parameters(declared: Declaration) -> list[Variable]:
    """Returns the parameters that the introduction does not list for all joints."""
    common = (*_OF_ALL_JOINTS, *(f"{freedom}." for freedom in _freedoms(declared)))
    return [v for v in declared.with_role(Role.PARAMETER) if not v.name.startswith(common)]


def _is_main_output(variable: Variable, declared: Declaration) -> bool:
    """Says whether an output belongs neither to a port nor to the outputs that all joints and freedoms have."""
    common = ("position[", "velocity[", "acceleration[", "residual[", "multiplier[", *(f"{freedom}." for freedom in _freedoms(declared)))
    return variable.port is None and not variable.name.startswith(common)


def _alike(parameters: Iterable[Variable]) -> list[list[Variable]]:
    """Returns groups of parameters of ports and arrays whose names differ in a number only."""
    groups: dict[tuple[object, ...], list[Variable]] = {}
    for v in parameters:
        name = re.sub(r"\d+", "k", v.name) if {".", "["} & set(v.name) else v.name
        groups.setdefault((name, v.unit, v.start), []).append(v)
    return list(groups.values())


def _parameter(group: Sequence[Variable]) -> tuple[str, ...]:
    first, last = group[0], group[-1]
    name = f"`{first.name}`" if first is last else f"`{first.name}` … `{last.name}`"
    text = first.text if first is last else re.sub(r"\b1\b", "k", first.text)
    return name, _start(first), "SI" if first.unit == MIXED else first.unit or "1", text


def _start(variable: Variable) -> str:
    if variable.shape:
        return f"{' × '.join(map(str, variable.shape))} numbers"
    return "" if variable.start is None else f"{variable.start:g}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(_text(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *lines]) if lines else ""


def _text(text: str) -> str:
    """Text of a declaration as Markdown."""
    parts = re.split(r"(`+.+?`+)", text)
    return "".join(f"`{part.strip('`')}`" if part.startswith("`") else part.replace("<", "&lt;").replace("*", r"\*") for part in parts)
