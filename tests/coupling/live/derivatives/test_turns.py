"""Detection of quaternions among an instance's states, and of the angular velocity that turns them: by their names, and by the instance's
rates."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from coupling.live.derivatives.jacobians import turning, turns_of

STATES = ["x", "q0", "q1", "q2", "q3", "omegax", "omegay", "omegaz"]
Q = np.array((0.5, -0.3, 0.7, 0.2))


def about_body_axes(q: np.ndarray) -> np.ndarray:
    """The rates by an angular velocity about axes that turn along: multiplied from the right."""
    q0, q1, q2, q3 = q
    return np.array([[-q1, -q2, -q3], [q0, -q3, q2], [q3, q0, -q1], [-q2, q1, q0]]) / 2


class Instance:
    """An instance that answers with the columns of a matrix."""

    def __init__(self, rates: np.ndarray, first: int) -> None:
        self.rates, self.first = rates, first

    def directional(self, unknowns: list[int], known: int) -> tuple[int, np.ndarray]:
        return 0, self.rates[:, known - self.first]


def session(names: list[str], rates: np.ndarray) -> SimpleNamespace:
    """A part whose references are the places of its states, and 100 more for their derivatives; before it come 5 states of others."""
    part = SimpleNamespace(
        name="body",
        states=tuple(range(len(names))),
        first_state=5,
        fmu=SimpleNamespace(by_reference={i: SimpleNamespace(name=name) for i, name in enumerate(names)}),
        interface=SimpleNamespace(directional_derivatives=True),
        structure=SimpleNamespace(derivatives=[SimpleNamespace(reference=100 + i) for i in range(len(names))]),
    )
    first = next((i for i, name in enumerate(names) if name.endswith("omegax")), 0)
    return SimpleNamespace(built=SimpleNamespace(parts=[part]), instances=[Instance(rates, first)])


@pytest.mark.parametrize("prefix", ["", "crane.boom."])
@pytest.mark.parametrize("length", [1.0, 0.8])
def test_absolute_angular_velocities_turn(prefix, length):
    """They do so in an FMU of a whole mechanism as well, and for any length of the quaternion."""
    names = [prefix + name for name in STATES]
    assert list(turns_of(session(names, turning(length * Q / np.linalg.norm(Q))))) == [(5 + 5, 5 + 1)]


@pytest.mark.parametrize(
    ("names", "rates"),
    [
        (STATES, about_body_axes(Q)),
        (STATES, 2 * turning(Q)[[1, 0, 2, 3]]),
        (STATES, np.zeros((4, 3))),
        (["q1", "q2", "q3", "q0", "omegax", "omegay", "omegaz"], turning(Q)),
        (["q0", "q1", "q2", "q3", "wx", "wy", "wz"], turning(Q)),
    ],
    ids=["about body axes", "in another order of rates", "nothing turns", "scalar last", "another name"],
)
def test_what_is_another_quaternion_is_none(names, rates):
    assert list(turns_of(session(names, rates))) == []


def test_the_rates_keep_the_length():
    assert Q @ turning(Q) == pytest.approx([0, 0, 0], abs=1e-16)
    assert Q @ about_body_axes(Q) == pytest.approx([0, 0, 0], abs=1e-16)
