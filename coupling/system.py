"""A system of FMUs as users compose it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from coupling.analysed import Analysed
from coupling.diagram import system_diagram, system_html
from coupling.errors import BuildError
from coupling.explained import explain
from coupling.live.checkpoints import checkpoint_writer
from coupling.live.streaming import stream_of
from coupling.options import Checkpoint, Contacts, Index3, Isolation, Run, Scheme, Successive
from coupling.options.calls import public_call
from coupling.packaged import to_ssp
from coupling.plan.definition import Value
from coupling.progress import show_at_end, terminated_after
from coupling.result import Result
from coupling.resume import check_restarts, resume, run_on
from coupling.schemes.base.scheme import check_scheme
from coupling.simulate import Simulator
from coupling.solvers.base.solver import embedded_run
from coupling.ssp.parameters import start_values_of
from coupling.ssp.systems import from_ssp
from coupling.start_picture import start_picture
from coupling.steering.start import start


class System(Analysed):
    """System of FMU instances and their connections.

    ``gravity`` (m/s2, two or three numbers) is that of all bodies without their own. ``add`` instances, ``connect`` their ports and
    variables, ``join`` two ports by a joint, and ``include`` other systems. ``drive`` inputs by numbers, functions of time or tables. Then
    ``simulate``. ``build`` checks everything; ``simulate`` calls it if needed. A built system can no longer be changed. It can be copied
    and pickled; the copy is as before ``build``.

    Times are in seconds. Values by name, such as those of ``start_values``, ``initial``, ``guess``, ``hold``, ``velocities`` and ``drives``,
    have the units of the FMUs. Unknown names and refused arguments raise BuildError; a failed analysis raises AnalysisError.
    """

    @classmethod
    @public_call
    def from_ssp(cls, path: str | os.PathLike[str]) -> Self:
        """Returns a system from the SSP package ``path`` of any tool: FMUs, values, connections, and dotted names for nested systems.

        Unsupported elements are refused by name. ``settings`` are the package's, for ``simulate(**settings)``; ``notes`` are remarks.
        """
        return cls.of(*from_ssp(path))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Options of ``simulate`` in the package that the system was read from."""
        return MappingProxyType(dict(self._origin.settings))

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the package that the system was read from."""
        return self._origin.notes

    @public_call
    def export_fmu(
        self,
        path: str | os.PathLike[str],
        *,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        parameters: Sequence[str] | None = None,
        fmi: int = 2,
        platforms: Sequence[str] | None = None,
        initial: str | Mapping[str, float] | Result = "check",
        hold: Sequence[str] | None = None,
        implicit: bool = False,
        ls_dae: bool = False,
        stop_time: float = 1.0,
        stabilisation: str | None = Run.stabilisation,
        solver: str | Index3 = Run.solver,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
        locals: bool = True,
    ) -> Path:
        """Writes a system of this library's components to ``path`` as one FMU without Python, for both kinds. Returns the path.

        ``inputs`` are ports and input variables that become those of the FMU: ``["cylinder.rod", "motor.tau"]``. A port of a body may be
        connected inside as well; its efforts add up. ``outputs`` are names, instances, ports or patterns with ``*``, by default all states;
        outputs of opened ports are always among them. All other variables are visible as local ones; without ``locals`` only states, their
        derivatives and event indicators are. ``parameters`` are chosen likewise, by default all; the others keep their values. ``fmi`` is
        the version, 2 or 3. ``platforms`` are ``linux64`` and ``win64``, by default those with a compiler here. ``initial`` is as in
        ``simulate``: ``check``, ``assemble`` (now, and by default again at the start of the FMU), ``relax``, or a pose or a result at which
        the FMU starts. Except for ``relax``, the FMU refuses a start that violates constraints. If ``initial.assemble`` is true, it closes
        the start by states that are not in ``hold``. ``implicit`` is the default of ``solver.implicit``: an implicit method in
        Co-Simulation, for stiff systems. With ``ls_dae`` an importer may solve for the multipliers itself, by FMI-LS-DAE. ``stop_time``
        (seconds) is that of the default experiment. ``stabilisation`` is by default part of the joints. With ``projection``, Co-Simulation
        moves states onto the constraints, and Model Exchange gives the projected right-hand side. ``solver=Index3(step_size=0.01)`` takes
        steps of fixed size in Co-Simulation. ``start_values`` are those of this FMU alone, by full names or a file ``.ssv``. Systems and
        options that cannot be exported raise BuildError.
        """
        from coupling.export.export import export_fmu

        pose, initial = self._pose(initial), initial if isinstance(initial, str) else Run.initial
        return export_fmu(
            self.definition,
            path,
            inputs=inputs,
            outputs=outputs,
            parameters=parameters,
            fmi=fmi,
            platforms=platforms,
            initial=initial,
            pose=pose,
            hold=hold,
            implicit=implicit,
            ls_dae=ls_dae,
            stop_time=stop_time,
            stabilisation=stabilisation,
            start_values=start_values_of(start_values, self.instances),
            steps=embedded_run(stop_time, initial, solver),
            locals_shown=locals,
        )

    @public_call
    def to_modelica(
        self,
        folder: str | os.PathLike[str],
        *,
        form: str | None = None,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        initial: str | Mapping[str, float] | Result = "check",
    ) -> Path:
        """Writes the system as a Modelica model into a folder, and returns its file ``.mo``.

        ``form="native"`` writes equations: one model of components that do not switch, with ideal joints. ``form="fmu"`` writes a slim FMU,
        a model around it with connectors of the Modelica Standard Library, and a script ``.mos`` by which OpenModelica imports both. By
        default the form is native where it is possible; otherwise a warning gives the reason. ``inputs`` are ports and inputs that become
        connectors of the model, and ``outputs`` are variables that do. ``initial`` is as in ``export_fmu``, without ``relax``.
        """
        from coupling.modelica.whole import to_modelica

        word = initial if isinstance(initial, str) else Run.initial
        return to_modelica(self.definition, folder, form=form, inputs=inputs, outputs=outputs, initial=word, pose=self._pose(initial))

    picture = public_call(start_picture, "picture")
    resume = staticmethod(public_call(resume))
    diagram = public_call(system_diagram, "diagram")
    explain = public_call(explain)
    start = public_call(start)
    to_ssp = public_call(to_ssp)
    _repr_html_ = system_html

    @public_call
    def simulate(
        self,
        stop_time: float,
        *,
        start_time: float = Run.start_time,
        solver: str | Index3 = Run.solver,
        rtol: float = Run.rtol,
        atol: float | Mapping[str, float] | None = Run.atol,
        max_step: float = Run.max_step,
        max_steps: int = Run.max_steps,
        value_limit: float | None = Run.value_limit,
        initial: str | Mapping[str, float] | Result = Run.initial,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
        drives: Mapping[str, float | Callable[[float], float] | Sequence[Sequence[float]] | np.ndarray] | None = None,
        outputs: Sequence[str] | None = Run.outputs,
        output_times: Sequence[float] | np.ndarray | None = Run.output_times,
        output_interval: float | None = Run.output_interval,
        communication_step: float | None = Run.communication_step,
        scheme: str | Scheme = Run.scheme,
        stabilisation: str | None = Run.stabilisation,
        multipliers: str | Successive = Run.multipliers,
        contacts: Contacts = Run.contacts,
        sensitivities: Sequence[str] = Run.sensitivities,
        evaluation: str = Run.evaluation,
        isolate: str | Isolation = Run.isolate,
        until: str | Callable[[Mapping[str, float]], Any] | None = Run.until,
        max_seconds: float | None = Run.max_seconds,
        record_to: Path | str | None = None,
        checkpoint: Path | str | Checkpoint | None = None,
        real_time: float | None = Run.real_time,
        on_late: str = Run.on_late,
        progress: bool = Run.progress,
    ) -> Result:
        """Integrates the system from ``start_time`` to ``stop_time`` (seconds) and returns the recorded values and the outcome.

        A run that cannot be completed returns a result as well; its ``outcome`` says why it ended. Refused options and systems raise
        BuildError, impossible start values StartError, and violated constraints InitialStateError.

        Solution: ``solver`` is ``dopri5`` or ``dop853`` (explicit Runge-Kutta, with events located to rounding), or ``cvode`` or ``ida``
        (stiff). ``Index3(step_size=...)`` takes fixed steps that end on the constraints; ``RK45``, ``Radau``, ``BDF`` and ``LSODA`` are
        those of SciPy. ``max_step`` (seconds) limits a step; ``max_steps``, and a state beyond ``value_limit`` times its usual size, end
        the run. ``rtol`` is the relative and ``atol`` the absolute tolerance, by default ``rtol`` times the nominal values. A mapping gives
        ``atol`` by name of state, and of algebraic variable for ``ida``, or by patterns with ``*``, whose last match counts. Start:
        ``initial`` says how a start that violates constraints is treated: ``check`` refuses it, ``assemble`` moves the values that the user
        did not set, ``relax`` leaves it to the stabilisation. It may also be a pose of ``assemble()`` or ``equilibrium()``, or a result,
        whose last row counts. The run begins there; if its ``start_values`` give other lengths, it begins at the nearest pose.
        ``start_values`` belong to this run alone, by full names such as ``rod.m``, or in a file ``.ssv`` of SSP. They count over those of
        ``add``. ``drives`` are constants, functions of time or tables for this run, by the names of inputs, in place of those of ``drive``.

        Record: ``outputs`` are the names to record, of variables or instances, ``*`` matching anything. By default all outputs, states,
        algebraic and discrete variables are recorded. ``output_times`` or ``output_interval`` give the times (seconds), by default 500
        intervals; they cost no steps. ``record_to`` is the path of a file ``.jrd`` that takes the rows during the run, in place of memory.
        ``Result.load`` reads it also while the run goes on. ``sensitivities`` name parameters and start values by which all recorded values
        are differentiated, for ``dopri5`` and ``dop853``: ``result.sensitivity("rod.theta", "rod.m")``. Co-simulation:
        ``communication_step`` (seconds) is the distance of the points at which Co-Simulation instances are coupled. ``scheme`` is a name,
        or ``Scheme`` with ``extrapolation`` and ``step_control``. Values are recorded at the first point at or after each requested time.

        Constraints: ``stabilisation`` is ``baumgarte``, which is part of the joints, or ``projection``, which ends each step on the
        constraints. By default ``dopri5`` and ``dop853`` project, unless ``initial`` is ``relax`` or a joint was given a value of its
        stabilisation. ``multipliers`` are solved for ``simultaneous``, or ``successive``: constraint by constraint (``Successive``; see
        ``constraint_stages`` as well). ``contacts=Contacts(...)`` treats impact and contact. Execution: ``evaluation`` chooses how
        derivatives are found: by calls of the ``fmus``, by a ``tape`` of their equations, or by ``compiled`` code of these. ``auto`` takes
        the tape if all FMUs are of this library. ``isolate``: ``all`` runs all FMUs in a separate process, ``foreign`` does so if an FMU is
        not of this library; ``Isolation`` has limits and restarts. ``checkpoint`` is the path of a file from which ``System.resume``
        resumes the run, or ``Checkpoint`` with its ``interval``. ``until`` is a condition that ends the run, such as
        ``"abs(rod.theta) > 1"``, or a function of recorded values by name; ``max_seconds`` is the wall-clock time in s after which the run
        ends. ``real_time`` (simulated seconds per second) has the run wait for the wall clock at each time of its rows; ``on_late`` treats
        late points: ``warn`` delays the clock, ``stop`` ends the run, ``catch-up`` goes on without waits until the run is in time.
        ``progress`` shows a bar on a terminal, and a summary at the end.
        """
        start_values, pose = start_values_of(start_values, self.instances), self._pose(initial)
        check_scheme(scheme.name if isinstance(scheme, Scheme) else scheme)
        run = self._asked.run(
            stop_time=stop_time,
            start_time=start_time,
            solver=solver,
            rtol=rtol,
            atol=atol,
            max_step=max_step,
            max_steps=max_steps,
            value_limit=value_limit,
            initial=initial if isinstance(initial, str) else Run.initial,
            outputs=outputs,
            output_times=output_times,
            output_interval=output_interval,
            communication_step=communication_step,
            scheme=scheme,
            stabilisation=stabilisation,
            multipliers=multipliers,
            contacts=contacts,
            sensitivities=sensitivities,
            evaluation=evaluation,
            isolate=isolate,
            until=until,
            max_seconds=max_seconds,
            real_time=real_time,
            on_late=on_late,
            progress=progress,
        )
        checkpoints = checkpoint_writer(checkpoint)
        stream = stream_of(record_to, checkpoints)
        simulator = self._simulator or Simulator(self.definition)
        restarts = check_restarts(checkpoints, run, simulator.definition)
        try:
            simulator.prepare(run)
            with terminated_after(record_to is not None or checkpoint is not None):
                outcome, record = run_on(partial(simulator.run, run, start_values, drives, pose), stream, checkpoints, restarts)
        except BuildError:  # a run that cannot be made as asked leaves the system as it was
            if self._simulator is None:
                simulator.close()
            raise
        except BaseException:
            self._freeze(simulator)
            raise
        self._freeze(simulator)
        result = Result(record, outcome, drives)
        show_at_end(run, result.summary)
        return result
