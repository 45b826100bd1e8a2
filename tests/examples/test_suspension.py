"""The suspension against a model by hand in two coordinates, the quarter of a vehicle as textbooks have it, and its co-simulation."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.systems.machines import converges, example

GRAVITY = 9.81


@pytest.fixture(scope="module")
def machine() -> ModuleType:
    return example("10_suspension")


class Model:
    """Lagrange's equations for the lift h of the chassis and the angle a of the lower arm.

    The closure of the loop, lower e^(ia) + side e^(ik) = base + upper e^(iu), gives the angles k of the knuckle and u of the upper arm, and
    by differentiation their first and second derivatives for a. A body's mass centre is at z(a) + i h.
    """

    def __init__(self, machine: ModuleType) -> None:
        self.m = machine
        self.lower, self.side = machine.OUTER_LOWER - machine.INNER_LOWER, machine.OUTER_UPPER - machine.OUTER_LOWER
        self.upper, self.base = machine.OUTER_UPPER - machine.INNER_UPPER, machine.INNER_UPPER - machine.INNER_LOWER

    def angles(self, a: float) -> dict[str, np.ndarray]:
        """Angle, first and second derivative of each body."""
        tip = self.lower * np.exp(1j * a)
        reach = tip - self.base
        # The triangle of side, upper arm and the line from the upper arm's pivot to the tip of the lower one; its law of cosines.
        b, c, d = abs(self.upper), abs(self.side), abs(reach)
        u = np.angle(reach) + np.arccos((b**2 + d**2 - c**2) / (2 * b * d)) - np.angle(self.upper)
        top = self.upper * np.exp(1j * u)
        link = top - reach
        k = np.angle(link / self.side)
        matrix = [[link.real, -top.real], [link.imag, -top.imag]]
        k1, u1 = np.linalg.solve(matrix, [-tip.real, -tip.imag])
        turning = (tip + link * k1**2 - top * u1**2) / 1j
        k2, u2 = np.linalg.solve(matrix, [turning.real, turning.imag])
        return {"lower arm": np.array([a, 1, 0]), "knuckle": np.array([k, k1, k2]), "upper arm": np.array([u, u1, u2])}

    def point(self, angles: dict[str, np.ndarray], body: str, at: complex) -> np.ndarray:
        """Returns the place of a body's point that lies at ``at`` in the position at rest, for h = 0. Its first and second derivative are
        added for a."""

        def turned(vector: complex, angle: np.ndarray) -> np.ndarray:
            phi, phi1, phi2 = angle
            return vector * np.exp(1j * phi) * np.array([1, 1j * phi1, 1j * phi2 - phi1**2])

        if body == "upper arm":
            return np.array([self.m.INNER_UPPER, 0, 0]) + turned(at - self.m.INNER_UPPER, angles[body])
        if body == "lower arm":
            return np.array([self.m.INNER_LOWER, 0, 0]) + turned(at - self.m.INNER_LOWER, angles[body])
        carried = turned(at - self.m.OUTER_LOWER, angles["knuckle"])
        return np.array([self.m.INNER_LOWER, 0, 0]) + turned(self.lower, angles["lower arm"]) + carried

    def rates(self, t: float, state: np.ndarray) -> list[float]:
        m = self.m
        h, a, v, w = state
        angles = self.angles(a)
        total = sum(data["m"] for data in m.BODIES.values())
        inertia, forces = np.array([[total, 0.0], [0.0, 0.0]]), np.array([-total * GRAVITY, 0.0])
        for body in ("lower arm", "upper arm", "knuckle"):
            mass, J = m.BODIES[body]["m"], m.BODIES[body]["I"]
            (_, z1, z2), (_, phi1, phi2) = self.point(angles, body, m.CENTRES[body]), angles[body]
            inertia += [[0, mass * z1.imag], [mass * z1.imag, mass * abs(z1) ** 2 + J * phi1**2]]
            forces -= w**2 * np.array([mass * z2.imag, mass * (z1.conjugate() * z2).real + J * phi1 * phi2])
            forces -= [0, mass * GRAVITY * z1.imag]
        wheel = self.point(angles, "knuckle", m.WHEEL)
        deflection, speed = m.RADIUS + m.road(t) - wheel[0].imag - h, m.rate(t) - v - wheel[1].imag * w
        load = max(0.0, m.TYRE["k"] * deflection + m.TYRE["b"] * speed) if deflection > 0 else 0.0
        forces += load * np.array([1, wheel[1].imag])
        seat = self.point(angles, "lower arm", m.SEAT)
        strut = m.TOP - seat[0]
        change = -(strut.conjugate() * seat[1]).real / abs(strut)
        forces[1] -= (m.SPRING * (abs(strut) - m.rest_length()) + m.DAMPER * change * w) * change
        return [v, w, *np.linalg.solve(inertia, forces)]

    def motion(self, times: np.ndarray) -> np.ndarray:
        """Lift, angle and their rates, one row each."""
        start, state, found = 0.0, np.zeros(4), []
        for end in (self.m.BEGIN, self.m.BEGIN + self.m.LENGTH / self.m.SPEED, times[-1]):
            asked = times[(times >= start) & (times < end)]
            part = solve_ivp(self.rates, (start, end), state, "DOP853", t_eval=[*asked, end], rtol=1e-10, atol=1e-12, max_step=0.01)
            found.append(part.y[:, :-1])
            start, state = end, part.y[:, -1]
        return np.column_stack([*found, state])


def read(machine: ModuleType, result, rows: slice | np.ndarray = slice(None)) -> dict[str, np.ndarray]:
    """The four coordinates of the model, of a result."""
    return {
        "lift": result["chassis.y"][rows] - machine.CENTRES["chassis"].imag,
        "angle": result["lower arm.theta"][rows],
        "rate of the lift": result["chassis.vy"][rows],
        "rate of the angle": result["lower arm.omega"][rows],
    }


def test_the_suspension_is_its_equations_in_two_coordinates(machine: ModuleType) -> None:
    """The agreement is 1e-6 of the range of each coordinate, over the bump, through the air and until it settles."""
    times = np.linspace(0, machine.STOP, 251)
    result = machine.system().simulate(machine.STOP, rtol=1e-10, max_step=0.01, output_times=times)
    assert (result["tyre.load"] == 0).any() and result.statistics.state_events > 0
    rows = np.searchsorted(result.time, times, side="right") - 1
    for (name, found), exact in zip(read(machine, result, rows).items(), Model(machine).motion(times), strict=True):
        assert found == pytest.approx(exact, rel=0, abs=1e-6 * np.ptp(exact)), name


def test_ride_height(machine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vehicle stands where the points say, the tyre bears its weight; with another load it stands where the model's forces vanish."""
    result = machine.system().simulate(0.1, outputs=["*.p1.a*", "tyre", "chassis"])
    accelerations = [np.abs(result[name]).max() for name in result.names if name.endswith((".p1.ax", ".p1.ay", ".p1.alpha"))]
    assert len(accelerations) == 15 and max(accelerations) < 1e-9
    assert result["tyre.load"] == pytest.approx(np.full(len(result.time), machine.WEIGHT), rel=1e-11)

    spring, radius = machine.rest_length(), machine.RADIUS
    monkeypatch.setattr(machine, "rest_length", lambda: spring)
    monkeypatch.setitem(machine.BODIES, "chassis", {**machine.BODIES["chassis"], "m": 500.0})
    monkeypatch.setattr(machine, "HEIGHT", 0.0)
    loaded = machine.system().simulate(8.0, solver="cvode", rtol=1e-9)
    model, state = Model(machine), np.zeros(4)
    for _ in range(20):  # Newton, for the accelerations to vanish
        slope = [(np.array(model.rates(0, state + step)) - model.rates(0, state - step))[2:] / 2e-6 for step in 1e-6 * np.eye(4)[:2]]
        state[:2] -= np.linalg.solve(np.transpose(slope), model.rates(0, state)[2:])
    lift, angle, *_ = read(machine, loaded, slice(-1, None)).values()
    assert state[0] < -0.02 and radius == machine.RADIUS
    assert lift == pytest.approx(state[0], abs=1e-6) and angle == pytest.approx(state[1], abs=1e-6)


def eigenvalues(machine: ModuleType) -> np.ndarray:
    """Returns the eigenvalues of the model at rest, by central differences."""
    model = Model(machine)
    columns = [(np.array(model.rates(0, step)) - model.rates(0, -step)) / 2e-6 for step in 1e-6 * np.eye(4)]
    return np.sort_complex(np.linalg.eigvals(np.transpose(columns)))


def test_small_motion_has_the_eigenvalues_of_the_model(machine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a bump of a micrometre, sampled: what takes each sample to the next has the exponentials of the eigenvalues."""
    monkeypatch.setattr(machine, "HEIGHT", 1e-6)
    step, begin = 0.01, machine.BEGIN + machine.LENGTH / machine.SPEED
    result = machine.system().simulate(begin + 1.0, rtol=1e-11, atol=1e-15, max_step=0.005, output_times=begin + step * np.arange(101))
    samples = np.column_stack(list(read(machine, result).values())) / [1, 1, 10, 10]
    onward = np.linalg.lstsq(samples[:-1], samples[1:], rcond=None)[0]
    assert np.sort_complex(np.linalg.eigvals(onward)) == pytest.approx(np.sort_complex(np.exp(step * eigenvalues(machine))), rel=1e-5)


def test_it_rides_as_the_quarter_of_a_vehicle_of_textbooks(machine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Undamped, body and wheel move as two masses above each other on two springs, that of the suspension at the wheel with the square of
    its ratio; what the arms add beside is less than 5 %."""
    monkeypatch.setattr(machine, "DAMPER", 0.0)
    monkeypatch.setitem(machine.TYRE, "b", 0.0)
    moves = machine.moves()
    strut = machine.TOP - machine.SEAT
    ratio = (strut.conjugate() * moves["seat"]).real / abs(strut) / moves["wheel"].imag
    sprung, unsprung, k = machine.BODIES["chassis"]["m"], machine.BODIES["knuckle"]["m"], machine.SPRING * ratio**2
    stiffness = np.array([[k, -k], [-k, k + machine.TYRE["k"]]])
    frequencies = np.sqrt(np.linalg.eigvals(stiffness / [[sprung], [unsprung]]))
    assert np.sort(eigenvalues(machine).imag)[2:] == pytest.approx(np.sort(frequencies), rel=0.05)


def test_energy_is_kept(machine: ModuleType) -> None:
    """The work of the road is stored or became heat, also that which the tyre stored as it left the road: to the solver's tolerance."""
    gaps = []
    for rtol in (1e-5, 1e-7):
        result = machine.system().simulate(machine.STOP, rtol=rtol, max_step=0.02)
        gaps.append(np.abs(machine.balance(result)).max() / result["work of the road.y"].max())
        assert gaps[-1] < 1e2 * rtol
        assert result["tyre.loss"].min() > -1e-9 and result["damper.power"].max() <= 0
    assert gaps[1] < gaps[0] / 10


def test_the_tyre_pushes_only(machine: ModuleType) -> None:
    """Its load is never negative, and 0 where it is not deflected; at lift-off it is still deflected, since its damper holds it back."""
    result = machine.system().simulate(machine.STOP, rtol=1e-8, max_step=0.02, output_interval=1e-4)
    load, deflection = result["tyre.load"], result["tyre.deflection"]
    assert load.min() == pytest.approx(0, abs=1e-6) and not load[deflection < -1e-12].any()
    assert ((load == 0) & (deflection > 1e-4)).any()


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "step"), [("explicit", 5e-4), pytest.param("implicit", 1.25e-4, marks=pytest.mark.slow)])
def test_co_simulation_converges(machine: ModuleType, monkeypatch: pytest.MonkeyPatch, scheme: str, step: float) -> None:
    """Quartered steps make a quarter of the error where the tyre lifts off; halved ones do where a lower bump lets it stay on the road.

    The implicit scheme repeats steps until what arrives at inputs comes to rest, which it does only where a step is short against the time
    in which the damper would stop the lower arm, were it not for the wheel.
    """
    names = ("chassis.y", "lower arm.theta", "knuckle.vy", "work of the road.y")
    monkeypatch.setattr(machine, "BEGIN", 0.02)
    converges(machine.system, scheme, 0.2, (step, step / 4), names, 2e-3, order=1)
    monkeypatch.setattr(machine, "HEIGHT", 0.01)
    converges(machine.system, scheme, 0.2, (step, step / 2), names, 2e-3)
