"""Stiffness and damping of compliant joints for other tools, from the masses of a mechanism and the communication step.

Other tools hold the force of a joint during a step, and may be late by a step. With the mobility m of a joint, its stiffness k and its
damping c, a step h is stable if h^2 k m and h c m lie in a range that ``docs/interoperability.md`` derives. This module chooses the values
in its middle for late forces, which are stable without delay as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coupling.errors import listed
from coupling.live.derivatives.linearise import open_loops
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.options import Run
from coupling.plan.build import build
from coupling.plan.definition import Definition
from coupling.plan.kinds import Mode

STIFFNESS, DAMPING = "compliant.k", "compliant.c"
_K, _C = 1 / 27, 17 / 54
"""Values of h^2 k m and h c m with three equal roots of the step, for forces that are late by one step."""
_C_ALONE = 1 / 4
"""Value of h c m with two equal roots, where a constraint has no positions, and no stiffness."""


@dataclass(frozen=True)
class _Joint:
    mobility: float
    """Bound of the acceleration by unit forces of this joint and by forces in proportion of its neighbours, in any pose."""
    load: float
    """Greatest multiplier at the start."""


def compliance_of(definition: Definition, step: float) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Returns stiffness and damping by joints that were given neither, and sentences on what to expect in other tools."""
    variables = {each.name: each.stepped.fmu.variables for each in definition.instances if each.fmu.fmu.is_own and each.fmu.fmu.dae}
    sentences = []
    rigid = [name for name, known in variables.items() if not any(each.startswith("compliant.") for each in known)]
    if rigid:
        sentences.append(
            f"{listed(rigid)} {'has' if len(rigid) == 1 else 'have'} no compliant mode, so that other tools cannot run the package; write it with "
            "form='mechanism'"
        )
    given = {each.name for each in definition.instances if {STIFFNESS, DAMPING} & dict(each.start).keys()}
    wanted = {name for name, known in variables.items() if DAMPING in known} - given
    if not wanted:
        return {}, sentences
    try:
        joints = {name: each for name, each in _joints(definition).items() if name in wanted and each.mobility > 0}
    except (ValueError, ArithmeticError) as error:
        return {}, [*sentences, f"the stiffness of joints stays at its default, since the system cannot be evaluated at its start: {error}"]
    found = {name: _compliance(each.mobility, step, STIFFNESS in variables[name]) for name, each in joints.items()}
    return found, [*sentences, _sentence(joints, found, step)] if found else sentences


def _compliance(mobility: float, step: float, springs: bool) -> dict[str, float]:
    if not springs:
        return {DAMPING: _C_ALONE / (mobility * step)}
    return {STIFFNESS: _K / (mobility * step**2), DAMPING: _C / (mobility * step)}


def _sentence(joints: Mapping[str, _Joint], found: Mapping[str, Mapping[str, float]], step: float) -> str:
    yields = {name: each.load / found[name][STIFFNESS] for name, each in joints.items() if STIFFNESS in found[name]}
    worst = max(yields, key=lambda name: yields[name], default="")
    amount = (
        f"yield up to {yields[worst]:.2g} in SI units ('{worst}') under the load at the start, and half the step has a quarter of this error"
        if worst and yields[worst]
        else "yield by their load over their stiffness, and half the step has a quarter of this error"
    )
    return f"joints are compliant in other tools: in steps of {step:g} s they {amount}; write the package with form='mechanism' for ideal joints"


def _joints(definition: Definition) -> dict[str, _Joint]:
    """Returns mobilities and loads by joints, from the matrix of the accelerations of all constraints by their multipliers.

    FMUs of other tools are left out; none of them is run when a package is written.
    """
    own = definition.without({each.name for each in definition.instances if not each.fmu.fmu.is_own})
    built = build(own.opened(()), Mode.CONTINUOUS, complete=False)
    run = Run(stop_time=1.0, initial="relax")
    found: dict[str, _Joint] = {}
    with start(compile_program(built, []), Running(run=run, values={}, assembling=True)) as session:
        session.kernel.evaluate(run.start_time, session.x)
        slots = [slot for loop in session.schedule.loops for slot in range(loop.first, loop.first + len(loop.unknowns))]
        owners = np.array([a.part for loop in session.schedule.loops for a in loop.unknowns], dtype=int)
        loads = np.abs(session.kernel.slots[slots])
        matrix = open_loops(session).at_present()[built.states :, built.states :][:, : len(owners)].toarray()
        for part in dict.fromkeys(owners.tolist()):
            rows = matrix[owners == part]
            blocks = [np.linalg.norm(rows[:, owners == other], 2) for other in dict.fromkeys(owners.tolist())]
            found[built.parts[part].name] = _Joint(float(sum(blocks)), float(loads[owners == part].max()))
    return found
