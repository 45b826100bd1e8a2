"""A kernel that has been reset is as it was built, and an instance says what it refuses of its start."""

from __future__ import annotations

from coupling.kernel.fmi.instance import STRING, StartRefusal, StartStage, StartValues
from coupling.live.pausing import finished
from coupling.live.violations import check_start_state
from coupling.solvers.base.solver import SOLVERS
from tests.support.systems.sessions import started
from tests.support.systems.systems import pendulum


def test_a_kernel_that_was_reset_is_as_it_was_built() -> None:
    """Values, statistics, records and what went wrong are gone."""
    with started(pendulum()) as session:
        check_start_state(session)
        assert finished(SOLVERS["dopri5"].integrate(session, session.run)).completed
        kernel = session.kernel
        assert kernel.statistics.evaluations > 0 and len(kernel.take_record()) > 0
        kernel.reset()
        assert not kernel.slots.any() and kernel.time == 0
        assert kernel.statistics.evaluations == kernel.statistics.factorisations == 0
        assert len(kernel.take_record()) == 0 and kernel.deficiency(0, 2)[0] == 0
        assert kernel.failure.instance == kernel.failure.slot == kernel.failure.index == -1


def test_a_start_says_which_value_is_refused() -> None:
    """The value has its number among those given, whatever the order in which they are set."""
    with started(pendulum()) as session:
        rod, unknown = session.instances[2], 4_000_000_000
        known = session.built.parts[2].fmu.variables["m"].reference
        refused = rod.start(StartValues([(0, known, 2.0), (0, unknown, 1.0)]), 1e-6, 0.0, 1.0, reset=True)
        assert refused is not None and refused[1:] == (StartStage.SETTING, 1)
        refused = rod.start(StartValues([(0, known, 2.0), (STRING, unknown, "text")]), 1e-6, 0.0, 1.0, reset=True)
        assert isinstance(refused, StartRefusal) and refused[1:] == (StartStage.SETTING, 1)
        assert rod.start(StartValues([(0, known, 2.0)]), 1e-6, 0.0, 1.0, reset=True) is None
