"""``jourdain flexible``: an elastic body from a mesh as an FMU."""

from __future__ import annotations

import argparse
import json
import re
import shutil
from pathlib import Path
from typing import Any

from jourdain.verbs.common import COMPLETED, WrongUse, whole_number

_PORT = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<kind>nodes|rigid):(?P<nodes>\d{1,18}(-\d{1,18})?(,\d{1,18}(-\d{1,18})?)*)", re.ASCII)
_MOST_NODES = 1_000_000
"""Largest number of nodes between two numbers."""


def add_to(verbs: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        "flexible",
        help="make an FMU of an elastic body from a mesh",
        description="Reduces the stiffness and mass matrices of a mesh to few shapes, and builds an FMU with spatial ports.",
        epilog="Examples: jourdain flexible bracket.npz --port a=nodes:12-19 --port b=nodes:40 --out bracket.fmu; "
        "jourdain flexible bracket.op4 --nodes bracket.bdf --port a=nodes:12-19",
    )
    parser.add_argument(
        "mesh",
        type=Path,
        metavar="MESH",
        help=".npz file with K, M and nodes of the free body, or .op4 file of Nastran, or .sti file of CalculiX",
    )
    parser.add_argument(
        "--nodes",
        type=Path,
        metavar="FILE",
        help="file with the GRID cards of an .op4 file, or with the nodes of a .sti file (default: .inp beside it)",
    )
    parser.add_argument("--matrices", metavar="K,M", help="names of stiffness and mass in an .op4 file, such as KGG,MGG")
    parser.add_argument(
        "--port",
        action="append",
        required=True,
        metavar="NAME=nodes:LIST",
        help="a port and its nodes, such as a=nodes:12-19,25, or a=rigid:12-19 for a patch that is a plate; may be repeated",
    )
    parser.add_argument(
        "--point", action="append", default=[], metavar="NAME=nodes:LIST", help="a point whose place is an output; may be repeated"
    )
    parser.add_argument("--unit", choices=("m", "mm"), default="m", help="N, m and kg, or N, mm and tonnes (default: m)")
    parser.add_argument("--inner", type=whole_number, default=4, metavar="N", help="modes with the ports held (default: 4)")
    parser.add_argument("--shapes", type=whole_number, metavar="N", help="shapes that are kept (default: all)")
    parser.add_argument(
        "--basis", choices=("ports", "free"), default="ports", help="constraint modes of the ports, or modes of the free body"
    )
    parser.add_argument("--name", help="the name of the component (default: that of the mesh)")
    parser.add_argument("--fmi", type=int, choices=(2, 3), default=3, help="FMI version (default: 3)")
    parser.add_argument("--out", type=Path, metavar="FILE.fmu", help="the FMU (default: the name of the component in this folder)")
    parser.set_defaults(verb=_flexible)
    return parser


def _flexible(chosen: argparse.Namespace) -> int:
    from fmu_components.export.build import cached_fmu
    from fmu_components.flexible.body import described
    from fmu_components.flexible.formats.reading import read_mesh
    from fmu_components.flexible.made import flexible_body

    mesh = read_mesh(chosen.mesh, nodes=chosen.nodes, matrices=_names(chosen.matrices))
    name = chosen.name or re.sub(r"\W", "_", chosen.mesh.stem).capitalize()
    out = chosen.out or Path(f"{name}.fmu")
    if out.suffix != ".fmu":
        raise WrongUse(f"--out {out}: an FMU has the ending .fmu; write {out.with_suffix('.fmu')}")
    made = flexible_body(
        mesh.K,
        mesh.M,
        mesh.nodes,
        {port: _patch(kind, mesh.rows(nodes)) for port, kind, nodes in map(_parsed, chosen.port)},
        name=name,
        unit=chosen.unit,
        shapes=chosen.shapes,
        inner=chosen.inner,
        basis=chosen.basis,
        points={point: mesh.rows(nodes) for point, _, nodes in map(_parsed, chosen.point)},
        triangles=mesh.triangles,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(cached_fmu(made, chosen.fmi), out)
    data = made.data
    facts = {
        "written": str(out),
        "mass": data.mass,
        "centre": data.centre.tolist(),
        "size": data.size,
        "frequencies": (data.frequencies * data.first).tolist(),
    }
    print(json.dumps(facts) if chosen.json else f"{described(data, name)}\n{out}")
    return COMPLETED


def _names(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    stiffness, _, mass = text.partition(",")
    if not stiffness or not mass or "," in mass:
        raise WrongUse(f"--matrices {text}: write the names of stiffness and mass, such as KGG,MGG")
    return stiffness, mass


def _patch(kind: str, rows: list[int]) -> Any:
    from fmu_components.flexible.ports import Patch

    return Patch(rows, rigid=kind == "rigid")


def _parsed(text: str) -> tuple[str, str, list[int]]:
    """Returns the name, the kind and the nodes of ``a=nodes:12-19,25``."""
    found = _PORT.fullmatch(text)
    if not found:
        raise WrongUse(f"'{text}' is no port; write a name and its nodes, such as a=nodes:12-19,25")
    nodes: list[int] = []
    for part in found["nodes"].split(","):
        first, _, last = part.partition("-")
        wanted = range(int(first), int(last or first) + 1)
        if len(wanted) > _MOST_NODES:
            raise WrongUse(f"'{text[:80]}' names {len(wanted)} nodes; name at most {_MOST_NODES}")
        nodes += wanted
    return found["name"], found["kind"], nodes
