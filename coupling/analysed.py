"""A system that is asked without a run: poses, equilibria, linear models, sensitivities and stages of constraints."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar, overload

import numpy as np

from coupling.analysis.continuation import Equilibria, LinearFamily
from coupling.analysis.grid import LinearGrid
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.pose import Pose, asked_pose
from coupling.analysis.search import Wish
from coupling.analysis.sensitivities import Sensitivities
from coupling.analysis.stages import Stages, stages
from coupling.at_rest import at_rest
from coupling.checked_options import CheckedOptions
from coupling.composition import Composition
from coupling.errors import BuildError, shown
from coupling.live.session import Session
from coupling.options.calls import public_call
from coupling.plan.build import Built
from coupling.plan.definition import Value
from coupling.plan.given import drives_of
from coupling.plan.kinds import Mode, possible_modes
from coupling.result import Result
from coupling.simulate import Simulator
from coupling.ssp.parameters import start_values_of

if TYPE_CHECKING:
    from coupling.equations.forms import EquationsOfMotion

T = TypeVar("T")


class Analysed(Composition):
    """Composition that can be built, and asked for what holds at one point."""

    def __init__(self, name: str = "system", gravity: Sequence[float] | None = None) -> None:
        super().__init__(name, gravity)
        self._simulator: Simulator | None = None
        self._asked = CheckedOptions()

    @public_call
    def build(self, communication: bool | None = None) -> Built:
        """Checks everything, finds the order of evaluation without running anything, and returns both.

        ``communication`` asks for runs with a communication step, or without. By default a system is refused only if it allows neither.
        """
        if not (communication is None or isinstance(communication, bool)):
            raise BuildError(f"communication = {shown(communication)} is refused: give True or False, or leave it out")
        modes = possible_modes(self.definition) if communication is None else [Mode.COUPLED if communication else Mode.CONTINUOUS]
        simulator = self._simulator or Simulator(self.definition)
        built = simulator.built_first(modes)
        self._freeze(simulator)
        return built

    def _freeze(self, simulator: Simulator) -> None:
        """Freezes the system: once it is built it cannot be changed."""
        if self._simulator is None:
            self._simulator, self._built = simulator, True
            weakref.finalize(self, simulator.close)

    @public_call
    def assemble(
        self,
        guess: Mapping[str, float | tuple[float, float]] | None = None,
        hold: Mapping[str, float] | None = None,
        velocities: Mapping[str, float] | None = None,
        branch: str | None = None,
        alternatives: bool | None = None,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
    ) -> Pose:
        """Returns a pose in which all joints are closed: give it to ``simulate(initial=pose)``, and ``print`` it.

        Start values of ``add`` are held. Values of ``hold`` are held as well, also of outputs that depend on positions, such as
        ``{"stroke.translation.q": 0.66}``. Values of ``guess`` may move: they decide which way the mechanism is closed, and the values that
        stay free. A pair in ``guess`` is a value and its possible error. Other bodies are placed by walking over joints from the ground.
        ``velocities`` of states, or of outputs such as ``pin.rotation.qd``, are held. The others are the nearest to guesses, with least
        kinetic energy. ``alternatives`` says whether other poses are sought, by default if the search is short. ``branch`` asks for one of
        them, by its ``Pose.branch``. ``start_values`` are as in ``simulate``. A failure raises InitialStateError.
        """
        simulator = self._simulator or Simulator(self.definition)
        pose = simulator.pose(
            start_values_of(start_values, self.instances),
            Wish(_named(hold), _named(guess), _named(velocities), branch, alternatives),
        )
        self._freeze(simulator)
        return pose

    @public_call
    def equilibrium(
        self,
        initial: Mapping[str, Value] | Result | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
        guess: Mapping[str, Value] | None = None,
    ) -> Pose:
        """Returns a pose at which the system stands still: all accelerations vanish, and the rates of all other states.

        The search starts at ``initial``, by default at the start values of the instances. ``initial`` is a mapping of values such as
        ``{"rod.theta": 1.0}``, a pose that was found before, or a result, whose last row counts. Values of ``guess`` count over those of
        ``initial``. Velocities are set to zero, and all states move except those that ``hold`` names. A mechanism slides downhill from
        there, therefore the pose is usually stable; ``stable`` of the pose says whether it is. An unstable pose, such as that of an upright
        rod, has ``alternatives``: the poses to which the system falls.

        ``free`` names inputs to be found as well: a torque, a pressure or a voltage that balances the held states. It may also name
        parameters, such as a spring's stiffness. Then as many held states, the first ones, come to rest at their start values. The time is
        0; driven inputs have their values there. AnalysisError is raised if no equilibrium is found.
        """
        return self._equilibrium({**self._values(initial), **self._values(guess)}, True, hold, free)

    def _equilibrium(self, start: Mapping[str, Value], alternatives: bool, hold: Sequence[str], free: Sequence[str]) -> Pose:
        from coupling.analysis.linear import names_given
        from coupling.analysis.trimming import equilibrium_of

        hold, free = names_given("equilibrium: hold", hold), names_given("equilibrium: free", free)
        return equilibrium_of(lambda new: self._standing({**start, **new}, "relax"), self.instances, self._drives, hold, free, alternatives)

    @public_call
    def equilibria(
        self,
        parameter: str,
        values: Sequence[float] | np.ndarray,
        initial: Mapping[str, Value] | Result | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
    ) -> Equilibria:
        """Returns equilibria at the ``values`` of a ``parameter`` in its unit, such as ``equilibria("spring.k", np.linspace(50, 5, 20))``.

        Each equilibrium is sought from the one before, the first from ``initial``; ``hold`` and ``free`` are as in ``equilibrium``. If
        stability is lost or gained on the way, the value of the parameter is found, and the poses beyond have alternatives. AnalysisError
        is raised if an equilibrium is not found.
        """
        from coupling.analysis.continuation import equilibria

        given = self._values(initial)

        def at(value: float, near: Mapping[str, Value], alternatives: bool) -> Pose:
            return self._equilibrium({**given, **near, parameter: value}, alternatives, hold, free)

        return equilibria(parameter, values, dict(given), at)

    @overload
    def linearise(
        self,
        inputs: Sequence[str] = ...,
        outputs: Sequence[str] | None = ...,
        initial: Mapping[str, Value] | Result | None = ...,
        coordinates: Sequence[str] = ...,
        along: None = ...,
    ) -> LinearModel: ...

    @overload
    def linearise(
        self,
        inputs: Sequence[str] = ...,
        outputs: Sequence[str] | None = ...,
        initial: Mapping[str, Value] | Result | None = ...,
        coordinates: Sequence[str] = ...,
        *,
        along: Mapping[str, Sequence[float] | np.ndarray],
        hold: Sequence[str] = ...,
        free: Sequence[str] = ...,
    ) -> LinearFamily | LinearGrid: ...

    @public_call
    def linearise(
        self,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] | None = None,
        initial: Mapping[str, Value] | Result | None = None,
        coordinates: Sequence[str] = (),
        along: Mapping[str, Sequence[float] | np.ndarray] | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
    ) -> LinearModel | LinearFamily | LinearGrid:
        """Returns the linear model x' = A x + B u, y = C x + D u of small motions about a point.

        ``inputs`` name inputs that are driven or left open; rates of prescribed motion follow from them. ``outputs`` name variables,
        instances or patterns with ``*``; by default the outputs are the states. ``initial`` gives the point: values by name, such as a pose
        of ``equilibrium``, by default the start values at time 0. It may be a result: its last row counts, with the drives of its run at
        its time. A result from a file has no drives; then those of this system count. The system must stand still at the point, or move
        with a linear model that stays the same; otherwise AnalysisError is raised. The states are minimal coordinates and their rates.
        Therefore constraints, their stabilisation and quaternions leave no poles. The states are the freedoms of joints if any exist, such
        as ``pin.rotation.q`` and ``pin.rotation.qd``, and all states that are not mechanical. ``coordinates`` names preferred ones.

        ``along={"spring.k": values}`` gives the models at the equilibria along a parameter (values in its unit), all in the coordinates of the first. The first
        equilibrium is sought from ``initial``, each other one from the one before; ``hold`` and ``free`` are those of ``equilibrium``.
        Several parameters, ``along={"spring.k": values, "payload.m": others}``, span a grid, in which each equilibrium is sought from its
        neighbour. If a parameter changes the weight, ``free`` names the input that balances it.
        """
        from coupling.analysis.continuation import linear_family
        from coupling.analysis.grid import grid_of, linear_grid
        from coupling.analysis.linear import linear_model
        from coupling.analysis.varied import Asked

        start = self._values(initial)
        if along is not None:
            axes = grid_of(along)
            asked = Asked(
                partial(self._equilibrium, hold=hold, free=free), partial(self.linearise, inputs, outputs), start, tuple(coordinates)
            )
            if len(axes) > 1:
                return linear_grid(axes, asked)
            ((parameter, values),) = axes.items()
            return linear_family(self.equilibria(parameter, values, start, hold, free), asked)
        from coupling.analysis.linear import names_given

        if names_given("linearise: hold", hold) or names_given("linearise: free", free):
            raise BuildError(
                "linearise: hold and free belong to equilibria along a parameter; give along={...}, or initial=system.equilibrium(hold=..., free=...)"
            )
        still = isinstance(initial, Pose) and initial.assembled is None
        time = float(initial.time[-1]) if isinstance(initial, Result) else 0.0
        with self._as_driven(initial)._standing(start, "check", time, still) as session:
            return linear_model(session, inputs, outputs, coordinates)

    def _as_driven(self, initial: object) -> Self:
        """Returns the system with the drives that a result's run had for itself."""
        fmus = {each.name: each.fmu.fmu for each in self.definition.instances}
        own = drives_of(initial.drives, fmus) if isinstance(initial, Result) else {}
        return self.of(replace(self.definition, drives=tuple({**dict(self.definition.drives), **own}.items()))) if own else self

    @public_call
    def sensitivities(
        self,
        parameters: Sequence[str],
        outputs: Sequence[str] | None = None,
        initial: Mapping[str, Value] | Result | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
    ) -> Sensitivities:
        """Returns the derivatives by ``parameters`` of an equilibrium and of the eigenvalues of small motions about it.

        The equilibrium is sought from ``initial``, with ``hold`` and ``free`` as in ``equilibrium``. Derivatives of states, free inputs and
        ``outputs`` are exact if an FMU lists the parameter among the knowns of its derivatives, as the catalogue does. All other
        derivatives, and those of eigenvalues, are differences of equilibria that are solved anew, with exact Jacobians there. Each is in
        the unit of its value per unit of the parameter. An equilibrium that is lost by a change raises AnalysisError.
        """
        from coupling.analysis.sensitivities import implicit_derivatives, sensitivities

        start = self._values(initial)
        with self._standing(start, "relax") as session:
            found = implicit_derivatives(session, parameters, outputs, hold, free)
        model = self.linearise(initial=found.pose.beside(start))

        def anew(parameter: str, value: float) -> tuple[Pose, LinearModel]:
            changed = {**start, **found.pose, parameter: value}
            pose = self._equilibrium(changed, False, hold, free)
            return pose, self.linearise((), found.outputs, pose.beside(changed), model.states)

        return sensitivities(found, model, anew)

    @public_call
    def constraint_stages(self, at: float = 0.0, order: Sequence[str] | str | None = None) -> Stages:
        """Returns the constraints in force at a time ``at`` in s, added one after the other; ``print`` shows a table.

        The table says for each constraint how independent it is and which constraints it repeats, with the freedoms that are left.
        ``order`` names joints that come first; the others follow in the order of ``add``. ``independent first`` adds next the constraint
        that is most independent of those before, which best shows nearly redundant ones. Each row has the matrices ``beta``, ``H``, ``D``,
        ``C`` and ``f`` after its constraint, and the equations ``full`` and ``reduced``. An unreachable time raises AnalysisError.
        """
        if isinstance(at, bool) or not isinstance(at, int | float | np.integer | np.floating) or not np.isfinite(at):
            raise BuildError(f"constraint_stages: at = {shown(at)} is refused: give a time in seconds")
        simulator = self._simulator or Simulator(self.definition)
        with simulator.arrived(float(at)) as (session, x):
            self._freeze(simulator)
            return stages(session, float(at), x, order)

    @public_call
    def equations(self, form: str = "lagrange") -> EquationsOfMotion:
        """Returns the equations of motion as expressions of SymPy, from the declarations of the components; ``print`` shows them.

        ``form`` is one of three. ``lagrange`` gives M a = h + G' lambda and G a = gamma, without the terms that stabilise constraints. ``reduced`` gives M a = h of
        independent accelerations. ``successive`` gives A a = h + r and what each constraint adds. Names are those of the FMUs. Parameters
        that are 0, and directions, are numbers. ``function()`` of the result returns a function of NumPy. FMUs of other tools, tables,
        instances that change at events, and more than six bodies in space raise AnalysisError.
        """
        from coupling.equations.forms import equations_of_motion  # SymPy with it, which runs do without

        return equations_of_motion(self.build(), form)

    def _values(self, start: Mapping[str, Value] | Result | None) -> Mapping[str, Value]:
        """Returns start values by full names; a result gives the states at its end."""
        if isinstance(start, Result):
            return start.final([f"{name}.{fmu.by_reference[state].name}" for name, fmu in self.instances.items() for state in fmu.states])
        if start is not None and not isinstance(start, Mapping):
            raise BuildError(
                f"start values {shown(start)} are refused: give a mapping by full names, a pose that equilibrium() has found, or a result"
            )
        return start or {}

    def _pose(self, initial: str | Mapping[str, float] | Result) -> Mapping[str, Value] | None:
        """Returns the pose at which a run begins, if ``initial`` is no word."""
        return None if isinstance(initial, str) else self._values(initial) if isinstance(initial, Result) else asked_pose(initial)

    @contextmanager
    def _standing(self, start: Mapping[str, Value], initial: str, time: float = 0.0, still: bool = True) -> Iterator[Session]:
        """Yields a session at its start; ``still`` holds driven motions."""
        simulator = self._simulator or Simulator(self.definition)
        with (at_rest(simulator, start) if still else simulator).standing(start, initial, time) as session:
            self._freeze(simulator)
            yield session


def _named(values: Mapping[str, T] | None) -> Mapping[str, T]:
    return {} if values is None else values
