"""Points without rotation, which take no torque: connections that give torque there are refused."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coupling.errors import BuildError
from coupling.fmus import Fmu, Terminal
from coupling.fmus.ports import gives
from coupling.names import resolve
from coupling.plan.definition import Name, Value


@dataclass(frozen=True)
class NoTorque:
    """A variable that has to be 0, since a port would give torque to a point otherwise."""

    part: int
    variable: str
    port: str
    point: str
    body: str

    def check(self, value: Any) -> None:
        """Refuses a value that is not 0."""
        if value:
            raise BuildError(
                f"{_refused(self.port, self.point)}: its {self.variable} = {value:g}; leave it at 0, or {_other_body(self.body)}"
            )


def torque_free_ports(
    fmus: Mapping[str, Fmu], connections: Sequence[tuple[str, str]], start: Mapping[str, Mapping[str, Value]], fed: Container[Name]
) -> Iterator[NoTorque]:
    """Yields the variables that have to be 0 where ports are connected with points, and that are 0 at the start. Variables that a
    connection or a drive has ``fed`` are refused."""
    number = {name: i for i, name in enumerate(fmus)}
    for pair in connections:
        for port, point in (pair, pair[::-1]):
            (a, giver), (b, taker) = _terminal(fmus, port), _terminal(fmus, point)
            if giver is None or taker is None or not _is_point(fmus[b], taker):
                continue
            if giver.torque_free is None:
                if any(each.elastic for each in fmus[b].variables.values()):
                    raise BuildError(
                        f"port '{taker.name}' of '{b}' is a single node with 3 dofs and has no attitude: give a patch of at least 3 nodes"
                    )
                raise BuildError(
                    f"{_refused(port, point)}; connect a component that gives none there, such as a rod or a spherical joint, or {_other_body(b)}"
                )
            for variable in giver.torque_free:
                if (a, variable) in fed:
                    raise BuildError(f"{_refused(port, point)}: its {variable} is connected or driven; leave it open, or {_other_body(b)}")
                demand = NoTorque(number[a], variable, port, point, b)
                demand.check(start[a].get(variable, fmus[a].variables[variable].start))
                yield demand


def _terminal(fmus: Mapping[str, Fmu], end: str) -> tuple[str, Terminal | None]:
    instance, name = resolve(end, fmus)
    return instance, fmus[instance].terminals.get(name)


def _is_point(fmu: Fmu, terminal: Terminal) -> bool:
    return terminal.torque_free is not None and not any(effort in gives(fmu, terminal) for effort, _ in terminal.power)


def _refused(port: str, point: str) -> str:
    return f"'{port}' gives torque to '{point}', which is a point without rotation and takes none"


def _other_body(instance: str) -> str:
    return f"put a body that has moments of inertia in place of '{instance}'"
