"""Remedies of sentences are tried: the machine that provoked a sentence runs without it then, and agrees with a reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from coupling import BuildError, Index3, Result, Scheme, Successive, System
from jourdain.declare import t
from tests.coupling.live.test_stabilisation import angle, four_bars, moving
from tests.support.advice import Cases, ends, said
from tests.support.oracles.motion import deviation
from tests.support.oracles.planar import FourBar
from tests.support.systems import fixed_steps
from tests.support.systems.hard_systems import damped_hinge
from tests.support.systems.systems import pendulum, refusal, system_of
from tests.whole.test_singular_poses import double_pendulum, hanging, rockers, swung

CASES = Cases()


# -- constraints that drift ----------------------------------------------------------------------------------------------------------------


def weak(held: Mapping[str, float] | None = None, **options: Any) -> Result:
    """A rod that turns fast about a pin whose stabilisation is off, unless it is given."""
    system = System("weak")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5, "omega": 40.0, "vy": 20.0})
    given = {"baumgarte.alpha": 0.0, "baumgarte.beta": 0.0} if held is None else held
    system.join("planar.Revolute", "ground.p1", "rod.p1", given, name="pin")
    return system.simulate(**{"stop_time": 20.0, "rtol": 1e-5, **options})


TURNED = angle(1 / 3, 9.81 / 2, 0.0, 40.0, 20.0)
STRONG = {"baumgarte.alpha": 10.0, "baumgarte.beta": 10.0}
CASES.of(
    "a constraint is violated: pin.",
    weak,
    {},
    ends("rod.theta", TURNED),
    drift_rtol=("a smaller rtol", {"rtol": 1e-10}, 1e-6),
    drift_baumgarte=("greater baumgarte.alpha and baumgarte.beta", {"held": STRONG}, 1e-3 * TURNED),
    drift_projection=("stabilisation='projection'", {"stabilisation": "projection"}, 1e-3 * TURNED),
)
CASES.of(
    "stabilisation='projection' does without 'pin.baumgarte.alpha'",
    weak,
    {"stabilisation": "projection"},
    ends("rod.theta", TURNED),
    vain_left_out=("leave the value out", {"held": {}, "stabilisation": "projection", "rtol": 1e-10}, 1e-5),
    vain_baumgarte=("or choose stabilisation='baumgarte'", {"stabilisation": "baumgarte", "rtol": 1e-10}, 1e-6),
)


def test_a_violation_does_not_propose_a_projection_that_is_refused() -> None:
    options = {"solver": "RK45", "multipliers": Successive(form="full"), "rtol": 1e-3, "stop_time": 5.0}
    text = said(lambda: weak(**options))
    assert text.endswith("choose a smaller rtol, or greater baumgarte.alpha and baumgarte.beta of its joint"), text
    refusal(lambda: weak(stabilisation="projection", **options), BuildError)


def relaxed(**options: Any) -> Result:
    """A pendulum that starts 0.1 mm away from its pin."""
    system = System("relaxed")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"I": 1 / 12, "p1.rx": -0.5})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    return system.simulate(1.0, **{"initial": "relax", "start_values": OFF, **options})


OFF = {"rod.theta": 1.0, "rod.x": math.cos(1.0) / 2, "rod.y": math.sin(1.0) / 2 + 1e-4}
FAST = {"initial": "relax", "start_values": {f"pin.baumgarte.{each}": 50.0 for each in ("alpha", "beta")} | OFF}
CASES.of(
    "a constraint is violated: pin.position[2] = 4.04",
    relaxed,
    {},
    ends("rod.theta", angle(1 / 3, 9.81 / 2, 1.0, 0.0, 1.0)),
    relaxed_faster=("choose greater baumgarte.alpha and baumgarte.beta", FAST, 1e-3),
    relaxed_assembled=("or initial='assemble'", {"initial": "assemble", "start_values": {"rod.theta": 1.0}}, 1e-6),
)


# -- fixed steps and too many steps --------------------------------------------------------------------------------------------------------


def swing(stop_time: float, **options: Any) -> Result:
    return pendulum().simulate(stop_time, **options)


def swung_by(stop_time: float) -> Callable[[Result], float]:
    return ends("rod.theta", angle(1 / 3, 9.81 / 2, 0.0, 0.0, stop_time))


FIXED = {"stop_time": 2.0}
CASES.of(
    "is too large",
    swing,
    {**FIXED, "solver": Index3(step_size=0.2)},
    swung_by(2.0),
    coarse=("choose a smaller step_size", {**FIXED, "solver": Index3(step_size=0.05)}, 0.01),
)
CASES.of(
    "has not been solved in 2 Newton iterations",
    lambda limit: fixed_steps.parallelogram().simulate(1.0, solver=Index3(step_size=0.01, newton_limit=limit)),
    {"limit": 2},
    ends("crank.theta", fixed_steps.parallelogram_exact(1.0)),
    newton_limit=("raise newton_limit (the default is 10)", {"limit": 10}, 0.01),
)
STEPPED = {"stop_time": 1.0, "scheme": "implicit", "max_steps": 100}
for name, remedy, provokes, options, at_most in (
    ("raise", "raise max_steps", {"max_steps": 5}, {"max_steps": 10_000}, 1e-6),
    ("loosen", "loosen rtol = 1e-08", {"max_steps": 20}, {"max_steps": 20, "rtol": 1e-4}, 1e-3),
    (
        "step_size",
        "choose a longer step_size than 0.001 s",
        {**FIXED, "solver": Index3(step_size=1e-3), "max_steps": 200},
        {**FIXED, "solver": Index3(step_size=0.01), "max_steps": 200},
        1e-3,
    ),
    (
        "communication",
        "choose a longer communication_step than 0.001 s",
        {**STEPPED, "communication_step": 1e-3},
        {**STEPPED, "communication_step": 0.01},
        1e-6,
    ),
    (
        "cvode",
        "loosen rtol = 1e-08",
        {"solver": "cvode", "max_steps": 70},
        {"solver": "cvode", "max_steps": 70, "rtol": 1e-4},
        1e-3,
    ),
):
    time = provokes.get("stop_time", 1.0)
    CASES.of(
        "after max_steps = ",
        swing,
        {"stop_time": time, **provokes},
        swung_by(time),
        **{f"steps_{name}": (remedy, {"stop_time": time, **options}, at_most)},
    )


@cache
def hinge_ends() -> float:
    return float(damped_hinge(1e3).simulate(2.0, rtol=1e-9, solver="cvode", output_times=[2.0])["rod2.theta"][-1])


CASES.of(
    "the problem looks stiff",
    lambda **options: damped_hinge(1e3).simulate(2.0, rtol=1e-6, output_times=[2.0], **options),
    {},
    ends("rod2.theta", hinge_ends),
    stiff=("choose solver='cvode'", {"solver": "cvode"}, 1e-4),
)


# -- singular poses and masses -------------------------------------------------------------------------------------------------------------


def aligned(start: float, **options: Any) -> Result:
    return rockers(2, start, 1.0).simulate(1.0, rtol=1e-8, **options)


def aligned_off(start: float) -> Callable[[Result], float]:
    return ends("rocker0.theta", angle(2 / 3 + 1, 2 * 9.81, start, -1.0, 1.0))


CLOSE = "so close to a singular pose"
CASES.of(CLOSE, aligned, {"start": 1e-6}, aligned_off(0.1), farther=("start it farther away", {"start": 0.1}, 1e-6))
CASES.of(CLOSE, aligned, {"start": 1e-6}, aligned_off(0.0), in_the_pose=("or in the pose itself", {"start": 0.0}, 1e-6))


def light(mass: float) -> Result:
    return double_pendulum(mass).simulate(1.0, rtol=1e-6, start_values=hanging(0.3))


def direct() -> Result:
    """The same without the light rod."""
    system = System("direct")
    system.add("ground", "planar.Fixed")
    system.add("bob", "planar.Body1", {"m": 1.0, "I": 0.1, "p1.ry": 0.6})
    system.join("planar.ConnectingRod", "ground.p1", "bob.p1", {"length": 0.5}, name="rod")
    return system.simulate(1.0, rtol=1e-6, start_values={name: value for name, value in hanging(0.3).items() if name.startswith("bob")})


LIGHT = "the masses or moments of inertia of 'rod' and 'bob' are 1 to "
CASES.of(
    LIGHT, light, {"mass": 1e-10}, ends("bob.theta", swung(1e-2, 0.3)), heavier=("give the light body more mass", {"mass": 1e-2}, 1e-5)
)
CASES.of(LIGHT, light, {"mass": 1e-10}, ends("bob.theta", swung(0.0, 0.3)), direct=("or connect its neighbours directly", direct, 1e-5))


def thin(inertia: float, **options: Any) -> Result:
    system = System("thin")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5, "m": 1.0, "I": inertia})
    system.add("bob", "planar.Body1", {"p1.rx": -0.5, "x": 1.5, "m": 1.0, "I": 0.1})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="upper")
    system.join("planar.Revolute", "rod.p2", "bob.p1", name="lower")
    return system.simulate(1.0, **{"rtol": 1e-4, "output_times": [1.0], **options})


@cache
def thick() -> float:
    return float(thin(1 / 12, rtol=1e-9, stabilisation="baumgarte")["bob.theta"][-1])


CASES.of(
    "the mass of 'rod' and its moments of inertia are too far apart",
    thin,
    {"inertia": 1e-13},
    ends("bob.theta", thick),
    extent=("give it the moments of inertia of a body of its extent", {"inertia": 1 / 12}, 5e-3),
)


def link(component: str, end: str = "") -> Result:
    system = System("link")
    system.add("ground", "planar.Fixed")
    system.add("link", component, {"p2.rx": 1.0} if component.startswith("planar.Massless") else {"p1.rx": -1.0, "x": 1.0, "I": 1e-6})
    system.join("planar.Revolute", "ground.p1", "link.p1", name="pin")
    if end:
        system.add("end", end, {"x": 1.0})
        system.join("planar.Revolute", "link.p2", "end.p1", name="joint")
    return system.simulate(1.0)


UNCARRIED = "nothing carries 'link.alpha'"
for name, remedy, options in (
    ("carried", "connect it with a body or a joint", {"component": "planar.MasslessLink2", "end": "planar.PointMass1"}),
    ("massive", "or replace it by a body that has mass", {"component": "planar.Body2"}),
):
    CASES.of(
        UNCARRIED,
        link,
        {"component": "planar.MasslessLink2"},
        ends("link.theta", angle(1.0, 9.81, 0.0, 0.0, 1.0)),
        **{name: (remedy, options, 1e-5)},
    )


# -- remedies that help, where the sentence states a fact --------------------------------------------------------------------------------------


def passing(stronger: float = 0.0, **options: Any) -> float:
    """Returns the error of a four-bar that passes poses in which its links lie in a line."""
    names = [f"{joint}.baumgarte.{each}" for joint in ("foot0", "foot1", "left1", "right1") for each in ("alpha", "beta")]
    start = {**moving(1, 1.0), **dict.fromkeys(names if stronger else (), stronger)}
    result = four_bars(1).simulate(10.0, output_times=[10.0], start_values=start, **options)
    assert "the mechanism passes a pose there" in str(result.outcome) or isinstance(options.get("solver"), Index3)
    return abs(result["rocker0.theta"][-1] - angle(2 / 3 + 1, 2 * 9.81, np.pi / 2, -1.0, 10.0))


@pytest.mark.parametrize(
    ("options", "better", "gain"),
    [
        (
            {"stabilisation": "baumgarte", "rtol": 1e-6},
            {"stabilisation": "baumgarte", "rtol": 1e-9, "stronger": 50.0},
            1e6,
        ),
        ({"rtol": 1e-6}, {"rtol": 1e-9}, 1e3),
        ({"solver": Index3(step_size=0.01)}, {"solver": Index3(step_size=0.0025)}, 10),
    ],
    ids=["baumgarte", "projection", "index3"],
)
def test_what_helps_in_singular_poses_helps(options: dict[str, Any], better: dict[str, Any], gain: float) -> None:
    assert passing(**better) * gain < passing(**options)


# -- co-simulation -------------------------------------------------------------------------------------------------------------------------


def two_masses(k: float = 1e4, **options: Any) -> Result:
    system = System("two masses")
    system.add("a", "mechanical1d.Mass", {"v": 1.0}, kind="cs")
    system.add("b", "mechanical1d.Mass", kind="cs")
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": k})
    system.connect("a.flange", "spring.M")
    system.connect("b.flange", "spring.N")
    return system.simulate(1.0, **{"communication_step": 1e-3, **options})


def vibrates(k: float) -> Callable[[Result], float]:
    return ends("a.v", (1 + math.cos(math.sqrt(2 * k))) / 2)


CASES.of(
    "the coupling has created or lost 11% of the energy",
    two_masses,
    {"scheme": Scheme(extrapolation=0)},
    vibrates(1e4),
    energy_step=("choose a smaller communication_step", {"scheme": Scheme(extrapolation=0), "communication_step": 1e-6}, 0.05),
    energy_degree=("a higher Scheme(extrapolation=...)", {"scheme": Scheme(extrapolation=2)}, 0.05),
    energy_scheme=("scheme='implicit' and leave extrapolation out", {"scheme": "implicit"}, 1e-3),
)
CASES.of(
    "the co-simulation diverges",
    two_masses,
    {"k": 1e6, "communication_step": 0.01},
    vibrates(1e6),
    diverges_step=("choose a smaller one", {"k": 1e6, "communication_step": 1e-5}, 0.02),
    diverges_scheme=("scheme='implicit', which bears longer ones", {"k": 1e6, "communication_step": 1e-4, "scheme": "implicit"}, 0.06),
)
CASES.of(
    "the coupling diverges: over a step of 0.01 s",
    two_masses,
    {"k": 1e6, "communication_step": 0.01, "scheme": "implicit"},
    vibrates(1e6),
    steep_step=("choose a smaller communication_step", {"k": 1e6, "communication_step": 1e-4, "scheme": "implicit"}, 0.06),
)


CONTROLLED = {"communication_step": 0.01, "max_steps": 2000}
CASES.of(
    "after max_steps = 2000",
    two_masses,
    {**CONTROLLED, "scheme": Scheme(step_control="adaptive", tolerance=1e-8)},
    vibrates(1e4),
    controlled_steps=("or loosen Scheme(tolerance=1e-08)", {**CONTROLLED, "scheme": Scheme(step_control="adaptive")}, 0.02),
)


def test_an_unstable_coupling_is_not_told_to_extrapolate_more() -> None:
    """Degree 2 creates more energy than degree 1; and a scheme is not proposed to itself."""
    first, second = (
        said(lambda degree=degree: two_masses(communication_step=0.01, scheme=Scheme(extrapolation=degree), value_limit=None))
        for degree in (1, 2)
    )
    assert "78% of the energy" in first and "208%" in second
    for text in (first, second):
        assert "choose a smaller communication_step, or scheme='implicit'" in text and "a higher Scheme(extrapolation=...)" not in text


def lever(**options: Any) -> Result:
    """A signal that steps by itself loads a rod on a pin."""
    system = System("lever")
    system.add("lag", "signal.FirstOrder", {"T": 0.01}, kind="cs")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"m": 1e3, "I": 2e6, "p1.rx": -1.0, "p2.rx": 1.0, "x": 1.0, "gy": 0.0})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    system.connect("lag.y", "rod.p2.Fy")
    system.drive("lag.u", 1e6 * sympy.sin(sympy.pi * t))
    return system.simulate(0.75, **{"communication_step": 0.05, **options})


@cache
def levered() -> float:
    """Returns the motion of the rod by its angle alone."""

    def slope(time: float, x: np.ndarray) -> list[float]:
        return [x[1], 2 * math.cos(x[0]) * x[2] / 2.001e6, (1e6 * math.sin(math.pi * time) - x[2]) / 0.01]

    return float(solve_ivp(slope, (0, 0.75), [0.0, 0.0, 0.0], method="DOP853", rtol=1e-11).y[0, -1])


CASES.of(
    "a constraint is violated: pin.",
    lever,
    {"scheme": Scheme(extrapolation=0)},
    ends("rod.theta", levered),
    coupled_step=("choose a smaller communication_step", {"scheme": Scheme(extrapolation=0), "communication_step": 1e-3}, 1e-3),
    coupled_degree=("a higher Scheme(extrapolation=...)", {"scheme": Scheme(extrapolation=2)}, 2e-3),
    coupled_scheme=("scheme='implicit' and leave extrapolation out", {"scheme": "implicit"}, 1e-3),
)
FOUR_BAR = FourBar(angle=1.0, speed=2.0)
CASES.of(
    "' stays at ",
    lambda **options: system_of(FOUR_BAR).simulate(1.0, scheme="implicit", **options),
    {"communication_step": 0.1},
    lambda result: deviation(FOUR_BAR.motion(result.time), result.__getitem__),
    unsolved_step=("choose a smaller communication_step", {"communication_step": 0.01}, 1e-3),
)


@pytest.mark.parametrize("name", CASES)
def test_the_remedy_helps(name: str) -> None:
    CASES[name].try_it()
