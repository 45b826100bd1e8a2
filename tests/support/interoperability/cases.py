"""Cases that every master runs. A further FMU is one entry more in ``CASES``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tests.support.interoperability.assembly import Assembly, Part, assembly
from tests.support.interoperability.exported import CRANE_LINKS, CRANE_STATES, SEVEN_BODIES, SLIDER_CRANK, SPLITS
from tests.support.oracles import crane
from tests.support.oracles.planar import DoublePendulum, Pendulum, Rod, SliderCrank
from tests.support.systems.seven_bodies import REFERENCE, START, STOP

Expected = Callable[[np.ndarray], dict[str, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Case:
    """An assembly and what is known of it from elsewhere."""

    title: str
    """A row of the table: which FMUs."""
    against: str
    """Reference with which the outputs are compared."""
    assembly: Assembly
    expected: Expected
    """The outputs at given times, NaN where nothing is known."""
    tolerance: float
    """Relative to the largest value of an output."""

    @property
    def alone(self) -> bool:
        return len(self.assembly.parts) == 1


EXACT = 1e-7
"""Inputs that are held do not differ between masters: only the integration inside the FMU is left."""


def _alone(component: str, start: dict[str, float | bool], outputs: dict[str, Callable[[np.ndarray], np.ndarray]], against: str) -> Case:
    """One FMU, its inputs held at start values, through a second in steps of 10 ms."""
    named = {f"unit.{name}": function for name, function in outputs.items()}
    switches = "".join(f", `{name}` set" for name, value in start.items() if isinstance(value, bool))
    return Case(
        f"`{component}`{switches}",
        against,
        assembly({"unit": (component, start)}, [], 0.01, 1.0, list(named)),
        lambda times: {name: function(times) + 0 * times for name, function in named.items()},
        EXACT,
    )


# -- one FMU -------------------------------------------------------------------------------------------------------------------

MASS, FORCE, SPEED, GRAVITY = 2.0, 3.0, 1.5, 9.81
BODY = _alone(
    "planar.Body1",
    {"m": MASS, "vx": SPEED, "p1.Fx": FORCE, "p1.Cz": 0.5},
    {
        "p1.x": lambda t: SPEED * t + FORCE / MASS * t**2 / 2,
        "p1.y": lambda t: -GRAVITY * t**2 / 2,
        "p1.theta": lambda t: 0.5 * t**2 / 2,
    },
    "uniform acceleration",
)
APART = {"N.x": 0.01, "N.vy": 0.02}
FORCES = {"N.Fx": lambda t: -1e4 * 0.01, "N.Fy": lambda t: -100.0 * 0.02, "M.Fx": lambda t: 1e4 * 0.01}
JOINT = _alone("planar.Revolute", APART, FORCES, "the compliant force, -(k f + c f')")
SWITCHED = _alone("planar.Revolute", {**APART, "ideal": False}, FORCES, "the same")
SHAFT = _alone(
    "mechanical1d.Inertia",
    {"I": 0.2, "w": -1.0, "flange.tau": 0.3},
    {"flange.w": lambda t: -1 + 1.5 * t, "flange.phi": lambda t: -t + 0.75 * t**2},
    "uniform acceleration",
)
VOLUME = _alone(
    "hydraulic.Volume",
    {"volume": 1e-3, "port.q": 2e-6},
    {"port.p": lambda t: 1e5 + 1.5e9 / 1e-3 * 2e-6 * t},
    "p' = (bulk modulus / volume) q",
)
WINDING = _alone(
    "electrical.Inductor",
    {"L": 0.2, "R": 0.8, "M.v": 12.0},
    {"current": lambda t: 12 / 0.8 * (1 - np.exp(-0.8 / 0.2 * t))},
    "the exponential of L i' = v - R i",
)
RAMP = _alone(
    "signal.Ramp",
    {"start": 0.255, "duration": 0.5, "height": 4.0},
    {"y": lambda t: np.clip((t - 0.255) / 0.5, 0, 1) * 4},
    "the ramp; both ends are time events inside steps",
)

# -- several FMUs. What passes between them is held for a step, and comes up to one step late besides: an error of the order of the step.

FREQUENCY, UPPER, FINE = 0.7, 0.6, 2e-3
LIMITED = Case(
    "`signal.Sine` and `signal.Limiter`",
    "the limited sine; each bend is a state event",
    assembly(
        {"sine": ("signal.Sine", {"frequency": FREQUENCY}), "limiter": ("signal.Limiter", {"upper": UPPER})},
        [("sine.y", "limiter.u")],
        FINE,
        1.0,
        ["limiter.y"],
    ),
    lambda t: {"limiter.y": np.minimum(np.sin(2 * np.pi * FREQUENCY * t), UPPER)},
    2 * FINE * 2 * np.pi * FREQUENCY,
)
K, M = 40.0, 2.0
SPRING = Case(
    "`mechanical1d.Mass`, `mechanical1d.SpringDamper1D` and `mechanical1d.Fixed1D`",
    "the damped oscillation",
    assembly(
        {
            "wall": ("mechanical1d.Fixed1D", {}),
            "spring": ("mechanical1d.SpringDamper1D", {"k": K, "b": 2.0}),
            "mass": ("mechanical1d.Mass", {"m": M, "s": 0.1}),
        },
        [("wall.flange", "spring.M"), ("spring.N", "mass.flange")],
        FINE,
        1.0,
        ["mass.s"],
    ),
    lambda t: {"mass.s": _oscillation(t, 0.1, np.sqrt(K / M), 2.0 / (2 * M))},
    2 * FINE * np.sqrt(K / M),
)
DROP, FILLING = 9.9e6, 1.5e9 / 1e-2 * 0.7 * 1e-6 * np.sqrt(2 / 870)
FILLED = Case(
    "`hydraulic.PressureSource`, `hydraulic.Orifice` and `hydraulic.Volume`",
    "the pressure of a volume that fills: the root of the drop falls linearly",
    assembly(
        {
            "source": ("hydraulic.PressureSource", {}),
            "orifice": ("hydraulic.Orifice", {}),
            "volume": ("hydraulic.Volume", {"volume": 1e-2}),
        },
        [("source.port", "orifice.A"), ("orifice.B", "volume.port")],
        FINE,
        1.0,
        ["volume.p"],
    ),
    lambda t: {"volume.p": 1e7 - (np.sqrt(DROP) - FILLING * t / 2) ** 2},
    2 * FINE * FILLING * np.sqrt(DROP) / 1e7,
)


def _oscillation(t: np.ndarray, start: float, omega: float, decay: float) -> np.ndarray:
    """Returns a damped oscillation that starts at rest."""
    damped = np.sqrt(omega**2 - decay**2)
    return start * np.exp(-decay * t) * (np.cos(damped * t) + decay / damped * np.sin(damped * t))


README = Pendulum()
PENDULUM = Case(
    "the pendulum of the README: `planar.Fixed`, `planar.Revolute` and `planar.Body2`",
    "elliptic functions, for an ideal pin",
    assembly(README.parts, README.connections, 1e-3, 1.0, ["rod.theta"]),
    lambda t: {"rod.theta": README.motion(t)["rod"].theta},
    0.003,
)
DOUBLE = DoublePendulum((Rod(), Rod(0.6, 2.0)), angles=(-1.0, -0.5))
DOUBLE_PENDULUM = Case(
    "a double pendulum of five FMUs",
    "Lagrange's equations, for ideal pins",
    assembly(DOUBLE.parts, DOUBLE.connections, 2.5e-4, 0.5, ["rod1.theta", "rod2.theta"]),
    lambda t: {f"{name}.theta": motion.theta for name, motion in DOUBLE.motion(t).items()},
    0.01,
)

# -- whole mechanisms, exported ------------------------------------------------------------------------------------------------


def _links(angles: Mapping[str, float]) -> list[float]:
    """The angles of the seven links, from those of the handbook."""
    beta, Theta, gamma, Phi, delta, Omega, eps = angles.values()
    return [beta, beta + Theta, gamma, Phi + delta, delta, Omega + eps, eps]


LINKS = [f"unit.link{number}.theta" for number in range(1, 8)]
SEVEN = Case(
    "the seven-body mechanism, exported",
    "its published digits at the start and after 0.03 s",
    Assembly({"unit": Part(SEVEN_BODIES)}, [], STOP / 20, STOP, LINKS),
    lambda t: dict(zip(LINKS, np.transpose([_links(START), *np.full((len(t) - 2, 7), np.nan), _links(REFERENCE)]), strict=True)),
    3e-5,  # of FMPy in Model Exchange; where the FMU integrates itself, a millionth of it is left
)
TURNED = SliderCrank(Rod(0.5), Rod(1.2, 2.0, 0.4), torque=6.0)
TURNING = Case(
    "a slider-crank, exported; `rod.m`, `rod.I` and the torque on its open flange set",
    "Lagrange's equation",
    Assembly(
        {"unit": Part(SLIDER_CRANK, {"rod.m": TURNED.rod.m, "rod.I": TURNED.rod.J, "main.flange.tau": TURNED.torque})},
        [],
        0.01,
        1.0,
        ["unit.crank.theta", "unit.slider.x"],
    ),
    lambda t: {"unit.crank.theta": TURNED.motion(t)["crank"].theta, "unit.slider.x": TURNED.motion(t)["slider"].x},
    EXACT,
)
CRANE_STEP = 5e-4
SPLIT_CRANE = Case(
    "the hydraulic crane, exported as its mechanics and its hydraulics",
    "its equations in one piece",
    Assembly(SPLITS["as exported"], CRANE_LINKS, CRANE_STEP, 2.0, list(CRANE_STATES.values())),
    lambda t: dict(zip(CRANE_STATES.values(), _crane(t), strict=True)),
    1e-3,
)


def _crane(t: np.ndarray) -> list[np.ndarray]:
    states = crane.motion(t)
    return [crane.watched(states)["actuator.length"] - crane.LENGTH, states[0], states[4], states[5]]


CASES = [
    BODY,
    JOINT,
    SWITCHED,
    SHAFT,
    VOLUME,
    WINDING,
    RAMP,
    LIMITED,
    SPRING,
    FILLED,
    PENDULUM,
    DOUBLE_PENDULUM,
    SEVEN,
    TURNING,
    SPLIT_CRANE,
]
