"""Start of a loop's iterations after an attempt that failed."""

import numpy as np
import pytest

from coupling import System
from coupling.kernel.system.status import Status
from coupling.simulate import Simulator
from fmu_components.declare.component import TIME, Component
from tests.support.systems.machines import example


class Steep(Component):
    """An output that is no line in its input."""

    def declare(self):
        second = self.parameter("second", 1.0, "s", "one second", above=0)
        u = self.input("u", 0.0, "", "input")
        x = self.state("x", 0.0, "", "state")
        self.rate(x, (u - 1000 * x**3) / second)
        self.output("y", 1.5 * x**3 - TIME / second + u / 2 + u**3 / 100, "", "output")


class Negated(Component):
    """Closes the loop: u = -y."""

    def declare(self):
        u = self.input("u", 0.0, "", "input")
        self.output("y", -u, "", "output")


@pytest.fixture(scope="module")
def steep():
    system = System("steep")
    system.add("steep", Steep)
    system.add("negated", Negated)
    system.connect("steep.y", "negated.u")
    system.connect("negated.y", "steep.u")
    return system


@pytest.mark.parametrize("left", [np.nan, -np.inf])
def test_whatever_unknowns_an_attempt_has_left_the_next_evaluation_finds_the_same(steep, left):
    """Else every shorter step would fail as well."""
    simulator = Simulator(steep.definition)
    with simulator.standing(None) as session:
        kernel, loop = session.kernel, session.schedule.loops[0]
        kernel.set_fast(False)
        unknowns = kernel.slots[loop.first : loop.first + len(loop.unknowns)]
        x, dx, again = np.array([0.1]), np.zeros(1), np.zeros(1)
        assert kernel.derivatives(0.5, x, dx) is Status.DONE
        found = unknowns.copy()
        unknowns[:] = left
        assert kernel.derivatives(0.5, x, again) is Status.DONE
        assert np.allclose(unknowns, found, rtol=1e-14, atol=0) and np.allclose(again, dx, rtol=1e-14, atol=0)
    simulator.close()


def test_a_first_step_that_leads_astray_is_rejected_and_the_run_goes_on():
    """At rest any first step looks right: multipliers of a loader grow over its stages until they are no numbers. Projection is the oracle."""
    module = example("28_loader")
    hand, lengths = module.ByHand(), {name: values["start"] for name, values in module.CYLINDERS.items()}
    loader = module.machine(hand.pressures(hand.angles(*lengths.values())))
    guesses = {name: (angle, 0.5) for name, angle in module.GUESSES.items()}
    pose = loader.assemble(hold={f"{name}.length": length for name, length in lengths.items()}, guess=guesses)
    runs = [loader.simulate(3.0, rtol=1e-9, initial=pose, stabilisation=each) for each in ("baumgarte", "projection")]
    for run in runs:
        assert run.outcome.completed, run.outcome.sentence
    assert np.abs(runs[0]["bucket.theta"][-1] - runs[1]["bucket.theta"][-1]) < 1e-8
