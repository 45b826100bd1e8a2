"""Cart and pole in gymnasium.

A cart moves on a rail, and a pole stands on a hinge of the cart. An agent pushes the cart every 0.02 s, so that the pole stays upright and
the cart on its rail. This is the task of Barto, Sutton and Anderson, of cart 1 kg, pole 0.1 kg and 1 m, and at most 10 N. Here the agent
is a PD controller. An agent that learns sees the same observations, and gets the same rewards.

Episodes of one seed are equal. SciPy integrates the textbook's equations of cart and pole with the same controller.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from gymnasium import Env
from scipy.integrate import solve_ivp

from jourdain import Result, System
from jourdain.gym import environment

CART, POLE, HALF, GRAVITY = 1.0, 0.1, 0.5, 9.81  # kg, kg, m, m/s2
FORCE, RAIL, TILT = 10.0, 2.4, np.radians(12.0)  # N, m, rad
STEP, STEPS = 0.02, 500  # s, and steps of an episode
STOP = STEP * STEPS


# 1. The machine. The angle of the pole is 0 upright, and counts anticlockwise.


def system() -> System:
    machine = System("cart and pole", gravity=(0.0, -GRAVITY))
    machine.add("rail", "planar.Fixed")
    machine.add("cart", "planar.Body1", {"m": CART, "I": 0.1})
    machine.add("pole", "planar.Body1", {"m": POLE, "I": POLE * HALF**2 / 3, "p1.ry": -HALF, "y": HALF})
    machine.join("planar.ActuatedTranslational", "rail.p1", "cart.p1", name="slide")
    machine.join("planar.Revolute", "cart.p1", "pole.p1", name="hinge")
    return machine


# 2. The task: the bounds of the push, the observations, the reward, the end of an episode, and its start.

ACTIONS = {"slide.effort": (-FORCE, FORCE)}
OBSERVATIONS = ["slide.translation.q", "slide.translation.qd", "hinge.rotation.q", "hinge.rotation.qd"]


def reward(observation: np.ndarray, action: np.ndarray) -> float:
    """1 for an upright pole, less what the push costs."""
    return float(np.cos(observation[2]) - 1e-3 * action[0] ** 2)


def done(observation: np.ndarray) -> bool:
    return bool(abs(observation[0]) > RAIL or abs(observation[2]) > TILT)


def start(random: np.random.Generator) -> dict[str, float]:
    """A cart beside the middle and a pole that leans; the hinge has to fit."""
    x, angle = random.uniform(-0.5, 0.5), random.uniform(-0.1, 0.1)
    return {"cart.x": x, "pole.theta": angle, "pole.x": x - HALF * np.sin(angle), "pole.y": HALF * np.cos(angle)}


# 3. The agent: a PD controller of the pole. It pushes the cart below the pole, and away from the middle at first: then the pole leans back.


def push(observation: np.ndarray) -> np.ndarray:
    x, v, angle, rate = observation
    return np.array([np.clip(x + 2.4 * v - 40.0 * angle - 8.0 * rate, -FORCE, FORCE)])


# 4. Episodes. The environment is an ordinary one of gymnasium; its result is that of `simulate`.


def episode(task: Env, seed: int) -> tuple[np.ndarray, float]:
    """Observations, and the sum of rewards."""
    observation, _ = task.reset(seed=seed)
    seen, total = [observation], 0.0
    for _ in range(STEPS):
        observation, gain, terminated, truncated, _ = task.step(push(observation))
        seen.append(observation)
        total += gain
        if terminated or truncated:
            break
    return np.array(seen), total


def show(folder: Path, result: Result) -> None:
    result.animate(folder / "cart_and_pole.html")
    result.plot("cart.x", "pole.theta", path=folder / "cart_and_pole.png")


# 5. The check: the equations of Barto, Sutton and Anderson, with the angle clockwise.

ALLOWED = 1e-8  # m, rad, m/s and rad/s


def textbook(first: np.ndarray, steps: int) -> np.ndarray:
    """Observations from a start on."""

    def rates(t: float, y: np.ndarray, force: float) -> list[float]:
        _, v, angle, rate = y
        sine, cosine, mass = np.sin(angle), np.cos(angle), CART + POLE
        part = (force + POLE * HALF * rate**2 * sine) / mass
        turn = (GRAVITY * sine - cosine * part) / (HALF * (4 / 3 - POLE * cosine**2 / mass))
        return [v, part - POLE * HALF * turn * cosine / mass, rate, turn]

    clockwise, found = np.array([1.0, 1.0, -1.0, -1.0]), [first]
    for _ in range(steps):
        force = push(found[-1])[0]
        found.append(solve_ivp(rates, (0, STEP), found[-1] * clockwise, args=(force,), rtol=1e-11, atol=1e-12).y[:, -1] * clockwise)
    return np.array(found)


def main() -> int:
    parser = argparse.ArgumentParser(description="A PD controller balances a pole on a cart, in an environment of gymnasium.")
    parser.add_argument("--out", type=Path, default=Path("build/machines"), help="folder for the plot (default: build/machines)")
    parser.add_argument("--episodes", type=int, default=3, help="number of episodes (default: 3)")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    task = environment(
        system(), actions=ACTIONS, observations=OBSERVATIONS, step=STEP, reward=reward, done=done, reset=start, outputs=["cart", "pole"]
    )
    holds = True
    for seed in range(chosen.episodes):
        seen, total = episode(task, seed)
        steps, again = len(seen) - 1, np.array_equal(seen, episode(task, seed)[0])
        error = np.abs(seen - textbook(seen[0], steps)).max()
        holds &= again and steps == STEPS and error <= ALLOWED
        lean, place = np.degrees(seen[0, 2]), seen[0, 0]
        print(f"seed {seed}: the pole leans {lean:.2f} degrees and the cart is at {place:.3f} m; reward {total:.2f} in {steps} steps")
        print(
            f"  at the end: {np.degrees(seen[-1, 2]):.4f} degrees, {seen[-1, 0]:.5f} m; a second episode is {'equal' if again else 'another one'}"
        )
        print(f"  largest difference to the textbook's equations: {error:.1e} ({ALLOWED:g} is allowed)")
    show(chosen.out, task.result)
    task.close()
    print(f"plot: {chosen.out / 'cart_and_pole.png'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
