"""Compliant mechanisms in the masters: they approach the ideal ones, settle up to the step that theory allows, and follow the recipe."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.interoperability.assembly import assembly
from tests.support.interoperability.hold import longest_step, recipe
from tests.support.interoperability.registry import COUPLING, master
from tests.support.interoperability.study import (
    DEFAULTS,
    DOUBLE,
    LEVELS,
    MOBILITIES,
    README,
    SHORT,
    STEP,
    by_recipe,
    compliant,
    error,
    extrapolated,
    slower,
)
from tests.support.oracles.planar import Pendulum

OF_THE_TOOLBOX = [each.title for each in COUPLING if each.title.startswith("toolbox")]
"""Their containers are those of FMPy with other words, and take long to make."""
EVERY = pytest.mark.parametrize(
    "master",
    [
        pytest.param(each, id=each.title, marks=[pytest.mark.slow] * (each.title in (*OF_THE_TOOLBOX, "FMPy's container")))
        for each in COUPLING
    ],
)


@EVERY
def test_it_approaches_the_ideal_pendulum(master):
    """The deviation falls fourfold with k fourfold, c twofold and half the step: it is proportional to 1/k, and of order 2 in the step."""
    errors = [error(master, level) for level in range(LEVELS)]
    assert errors[0] == pytest.approx(0.0153, rel=0.02)
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)
    assert errors[-2] / errors[-1] == pytest.approx(4, rel=0.01)


@EVERY
def test_two_runs_are_extrapolated(master):
    """Since the deviation is so regular, two runs give more than the finest one alone has."""
    assert extrapolated(master, 0) < error(master, 2)
    assert extrapolated(master, 2) < error(master, 3) / 30


@pytest.mark.slow
@EVERY
def test_the_longest_step_of_the_defaults(master):
    """A rod that hangs still and is displaced by 0.1 mm: 3 % below the longest step by theory it settles, 3 % above it leaves."""
    hanging = Pendulum(angle=-np.pi / 2)
    longest = longest_step(DEFAULTS["compliant.k"], DEFAULTS["compliant.c"], MOBILITIES[README], master.late)

    class Displaced(Pendulum):
        @property
        def parts(self):
            component, start = hanging.parts["rod"]
            return {**hanging.parts, "rod": (component, {**start, "x": start["x"] + 1e-4})}

    def end(step: float) -> float:
        step = round(step, 9)  # libcosim counts nanoseconds
        with np.errstate(all="ignore"):
            recorded = compliant(master, Displaced(angle=-np.pi / 2), DEFAULTS, step, 800 * step, "pin.position[1]")["pin.position[1]"]
        return float(np.nan_to_num(np.abs(recorded[-50:]), nan=np.inf).max())

    assert end(0.97 * longest) < 2e-5
    assert end(1.03 * longest) > 1e-3


@pytest.mark.parametrize(
    "title",
    ["ecos", "libcosim", *(pytest.param(each, marks=pytest.mark.slow) for each in ("FMPy's container", "toolbox container, sequential"))],
)
@pytest.mark.parametrize("oracle", [SHORT, DOUBLE], ids=["short pendulum", "double pendulum"])
def test_the_recipe(title, oracle):
    """A pendulum of 3 kg and 0.4 m, and a double pendulum: stable, and with half the step a quarter of the deviation."""
    coarse, fine = (np.abs(by_recipe(master(title), oracle, step)).max() for step in (STEP / 2, STEP / 4))
    assert coarse < 0.02
    assert coarse / fine == pytest.approx(4, rel=0.1)


def test_what_late_forces_cost():
    """A joint may be twelve times as stiff by the recipe if forces are not late, and the gain is as large."""
    late, fresh = (np.abs(by_recipe(master(title), SHORT, STEP / 4)).max() for title in ("ecos", "FMPy's container"))
    stiffer = recipe(False).K / recipe(True).K
    assert stiffer == pytest.approx(12)
    assert late / fresh == pytest.approx(stiffer, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["ecos", "FMPy's container"])
@pytest.mark.parametrize("rod", [README.rod, SHORT.rod], ids=["rod of the README", "short rod"])
def test_how_much_slower_small_swings_are(title, rod):
    """Half the sag times d / l^2: with that frequency in place of the ideal one a tenth of the deviation remains at most."""
    pendulum = Pendulum(rod, angle=-np.pi / 2 + 0.02)
    recorded = compliant(master(title), pendulum, DEFAULTS, 5e-4, 3.0, "rod.theta")
    swing = recorded["rod.theta"] + np.pi / 2
    ideal, slowed = (0.02 * np.cos(pendulum.frequency * factor * recorded.time) for factor in (1, 1 - slower(pendulum, 1e4)))
    assert np.abs(swing - slowed).max() < np.abs(swing - ideal).max() / 10


@pytest.mark.parametrize("title", ["ecos", "toolbox container, sequential"])
def test_the_recipe_for_a_joint_that_holds_the_angle(title):
    """A body on a weld comes to rest where its weight lowers the point by m g / k; slowly, since up and down it is heavier than 1/mu."""
    m, inertia, r, step = 2.0, 0.05, 0.3, 1e-3
    chosen = master(title)
    joint = recipe(chosen.late).parameters(1 / m + (r**2 + 1) / inertia, step)
    components = {
        "ground": ("planar.Fixed", {}),
        "weld": ("planar.Weld", joint),
        "body": ("planar.Body1", {"m": m, "I": inertia, "p1.rx": -r, "x": r}),
    }
    outputs = ["body.p1.y", "body.omega", "body.vy"]
    recorded = chosen.record(assembly(components, [("ground.p1", "weld.M"), ("weld.N", "body.p1")], step, 5.0, outputs), 2)
    assert recorded["body.p1.y"][-1] == pytest.approx(-m * 9.81 / joint["compliant.k"], rel=1e-4)
    assert [recorded["body.omega"][-1], recorded["body.vy"][-1]] == pytest.approx([0, 0], abs=1e-5)
