"""Refusals and early ends of a co-simulation: one function for each sentence, with its remedy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coupling.errors import BuildError, listed, shown
from coupling.outcome import KEPT, Ending, Outcome

UNSTABLE_SCHEME = "implicit-position-linear"

# -- refused before the start ------------------------------------------------------------------------------------------


def unstable_scheme() -> BuildError:
    """Reports that constraints at position level do not suit multipliers that are linear over a step."""
    return BuildError(
        f"the scheme '{UNSTABLE_SCHEME}' is refused: constraints at position level with forces that are continuous and linear over the step are unstable at any step (an error grows by 2 + sqrt(3) in "
        "every step). Choose 'implicit-position', whose multipliers are constant over the step, 'implicit-velocity', or 'implicit'"
    )


def unknown_control(given: object, *, known: Iterable[str]) -> BuildError:
    """Reports that no step control has this name."""
    return BuildError(f"step_control = {shown(given)} is unknown; choose one of {', '.join(map(repr, known))}")


def tolerance_without_control(tolerance: float) -> BuildError:
    """Reports a tolerance that is given although steps are fixed."""
    return BuildError(f"tolerance = {tolerance:g} is for Scheme(step_control='adaptive') or 'power'; choose one of them, or leave it out")


def nothing_to_extrapolate(*, scheme: str, degree: int) -> BuildError:
    """Reports an extrapolation that implicit schemes do not use, because they find the inputs at the end of a step."""
    return BuildError(
        f"extrapolation = {degree} has no effect with scheme = '{scheme}', which finds the inputs at the end of each step; leave it out"
    )


def nothing_integrated(*, option: str, value: str) -> BuildError:
    """Reports an option for Model Exchange instances between the points although the system has none."""
    return BuildError(
        f"{option} = {value} has no effect: no Model Exchange instance with states is integrated between the communication points; leave it out, or give "
        "instances kind='me'. Co-Simulation instances receive rtol"
    )


def longer_than_allowed(*, max_step: float, step: float) -> BuildError:
    """Reports a largest step that fixed steps exceed."""
    return BuildError(
        f"max_step = {max_step:g} s has no effect on steps that are fixed at communication_step = {step:g} s; choose a shorter "
        "communication_step, or Scheme(step_control='adaptive')"
    )


def not_repeatable(*, scheme: str, instances: Sequence[str]) -> BuildError:
    """Reports instances that cannot go back although the scheme repeats steps."""
    return BuildError(
        f"the scheme '{scheme}' repeats steps, but {', '.join(map(repr, instances))} cannot save and restore its state "
        "(canGetAndSetFMUstate); choose scheme='explicit' or 'gauss-seidel', or export it with that ability"
    )


def inputs_held(*, instance: str, by_user: bool) -> BuildError:
    """Reports multipliers that vary over a step for an instance whose inputs are constant."""
    holds = (
        f"the scheme 'implicit' has forces vary over a step such that constraints hold at both levels, but '{instance}' holds its inputs: "
    )
    if by_user:
        return BuildError(f"{holds}it was added with extrapolation=0; leave that out, or choose 'implicit-position' or 'implicit-velocity'")
    return BuildError(
        f"{holds}it offers neither canInterpolateInputs nor, in FMI 3, intermediate updates; choose 'implicit-position' or 'implicit-velocity'"
    )


def step_size_fixed(*, control: str, instances: Sequence[str]) -> BuildError:
    """Reports instances that make steps of one size only although step control changes the size."""
    return BuildError(
        f"step_control = '{control}' changes the step size, but {', '.join(map(repr, instances))} can make steps of one size only "
        "(canHandleVariableCommunicationStepSize); use Scheme(step_control='fixed')"
    )


def not_reversible(*, control: str, instances: Sequence[str]) -> BuildError:
    """Reports instances that cannot go back although step control takes steps back."""
    return BuildError(
        f"step_control = '{control}' takes steps back, but {', '.join(map(repr, instances))} cannot save and restore its state "
        "(canGetAndSetFMUstate); use Scheme(step_control='fixed')"
    )


def velocities_alternate(*, scheme: str, control: str, other_scheme: str = "") -> BuildError:
    """Reports a step control that would take a property of the scheme for an error; ``other_scheme`` is one that suits this control."""
    why = "velocities alternate around the right value from step to step, which looks like an error"
    return _control_refused(scheme, control, why, f", or scheme='{other_scheme}'" if other_scheme else "")


def nothing_extrapolated(*, scheme: str, control: str) -> BuildError:
    """Reports a step control that measures errors of extrapolation although the scheme does not extrapolate."""
    why = "nothing is extrapolated, and errors create no energy that could be measured"
    return _control_refused(scheme, control, why, ", or 'adaptive'")


def _control_refused(scheme: str, control: str, why: str, more: str) -> BuildError:
    return BuildError(
        f"step_control = '{control}' does not go with scheme = '{scheme}', in which {why}; use Scheme(step_control='fixed'){more}"
    )


def power_unknown(*, control: str) -> BuildError:
    """Reports that the power of no connection is known."""
    return BuildError(
        f"step_control = '{control}' needs Co-Simulation instances that are connected through ports whose power is known (planar, rotational, "
        "translational, hydraulic, electrical); use Scheme(step_control='adaptive')"
    )


def stop_between_steps(*, instance: str, start_time: float, stop_time: float, step: float) -> BuildError:
    """Reports an instance that makes steps of one size only and cannot arrive at the stop."""
    whole = start_time + round((stop_time - start_time) / step) * step
    return BuildError(
        f"stop_time = {stop_time:g} s is no whole number of communication steps ({step:g} s) after the start, and "
        f"'{instance}' can make steps of one size only; choose a stop_time of {whole:g} s"
    )


def own_step_between(*, instance: str, own: float, other: str, step: float) -> BuildError:
    """Reports an instance whose own step ends where another instance cannot be."""
    return BuildError(
        f"communication_step = {own:g} s of '{instance}' is no whole number of steps of {step:g} s, and '{other}' can make steps of one size only; "
        "choose a multiple"
    )


# -- steps that cannot be made -----------------------------------------------------------------------------------------


class StepUnsolved(Exception):
    """A step that cannot be made; the text says why, and what to do."""


def control_gave_up(*, t: float, h: float, control: str, tolerance: float) -> StepUnsolved:
    """Returns the error for steps that became too small."""
    return StepUnsolved(
        f"stopped at t = {t:.9g} s: step_control = '{control}' has brought the step down to {h:.2g} s without reaching "
        f"tolerance = {tolerance:g}; loosen it, or use Scheme(step_control='fixed')"
    )


def multipliers_without_effect(*, t: float, names: Sequence[str]) -> StepUnsolved:
    """Reports constraints that do not respond to the multipliers."""
    quoted = ", ".join(f"'{name}'" for name in names)
    return StepUnsolved(
        f"stopped at t = {t:.9g} s: constraints do not respond to {quoted} within a step; check the connections of their instances"
    )


def inputs_unsettled(*, t: float, h: float, repetitions: int) -> StepUnsolved:
    """Reports inputs at the end of a step that still move after the last repetition."""
    return StepUnsolved(
        f"stopped at t = {t:.9g} s: inputs at the end of a step of {h:g} s do not settle in {repetitions} repetitions; {_SMALLER_STEP}"
    )


def diverging(*, t: float, h: float, name: str, gain: float) -> StepUnsolved:
    """Reports inputs with such a strong response to themselves that steps of that size are unstable."""
    return StepUnsolved(
        f"stopped at t = {t:.9g} s: the coupling diverges: over a step of {h:g} s '{name}' responds to its own change by {gain:.2g} times; "
        "choose a smaller communication_step, or put the stiff parts into one FMU"
    )


def constraint_unsolved(
    *, t: float, h: float, repetitions: int, name: str, violation: float, noise: float, others: Sequence[str]
) -> StepUnsolved:
    """Reports a constraint that is still violated after the last repetition; ``others`` are the instances that it takes its motion from."""
    uneven = ""
    if violation < 1e4 * noise:
        uneven = f", or a smaller rtol than {noise:g}, if the steps of {listed(others)} answer unevenly to small changes of force"
    return StepUnsolved(
        f"stopped at t = {t:.9g} s: '{name}' stays at {violation:.2g} at the end of a step of {h:g} s, after {repetitions} repetitions; "
        f"{_SMALLER_STEP}{uneven}"
    )


_SMALLER_STEP = "choose a smaller communication_step, or check whether there is a solution"

# -- how a run ends ----------------------------------------------------------------------------------------------------


def not_solved(unsolved: StepUnsolved) -> Outcome:
    """Returns the outcome of a run in which a step could not be made."""
    return Outcome(Ending.NOT_SOLVED, f"{unsolved}. {KEPT}")


def diverged(*, t: float, name: str, value: float, scheme: str, step: float) -> Outcome:
    """Returns the outcome of a run whose values have grown from step to step until an evaluation failed."""
    other = "" if scheme.startswith("implicit") else ", or scheme='implicit', which bears longer ones"
    return Outcome(
        Ending.NOT_FINITE,
        f"stopped at t = {t:.9g} s: the co-simulation diverges: '{name}' has grown to {value:.2g}. With scheme = '{scheme}' the coupling is "
        f"unstable at communication_step = {step:g} s: choose a smaller one{other}, or put the stiff parts into one FMU. {KEPT}",
    )
