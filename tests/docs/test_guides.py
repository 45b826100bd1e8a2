"""Runs of all code that the guides show; README and manual are in test_readme.py."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import fmpy
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from docs.programs.frame_pictures import PICTURES
from tests.support.components.beams import in_plane
from tests.test_readme import ROOT, run_all, snippet, snippets

DOCS = ROOT / "docs"


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives a folder in which the pieces may leave files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_initial_states():
    """Rods hang together by their angles alone; the page itself compares a run in two parts with the whole one."""
    hung = run_all(DOCS / "initial-states.md")["hung"]
    assert [hung["upper.theta"][0], hung["lower.theta"][0]] == [-1.0, -0.5]
    assert hung["lower.x"][0] == pytest.approx(np.cos(1.0) + 0.5 * np.cos(0.5))
    assert hung["lower.y"][0] == pytest.approx(-np.sin(1.0) - 0.5 * np.sin(0.5))


def test_prescribed_motion(capsys):
    """The slide follows its formula with the force that the comment gives, and then its table."""
    moved = run_all(DOCS / "prescribed-motion.md")["moved"]
    stroke, force = map(float, capsys.readouterr().out.split())
    assert [stroke, abs(force)] == pytest.approx([(1 - np.cos(5)) / 5, abs(10 * np.cos(5))], abs=1e-6)
    assert moved["slide.vx"][-1] == pytest.approx(0.4, abs=1e-6)


def test_evaluation():
    """Each of two welds carries half the weight of the plank, with a warning."""
    held = run_all(DOCS / "evaluation.md")["held"]
    assert held["left.N.Fy"] == pytest.approx(9.81 / 2)
    assert "3 constraints are redundant" in str(held.outcome)


def test_constraints(capsys):
    """The pendulum swings the same with both ways of projection, as the comments say; free directions are printed as shown."""
    held = run_all(DOCS / "constraint-drift.md")["held"]
    shown = snippet(DOCS / "constraint-drift.md", "[-1].D").partition("\n")[2]
    assert capsys.readouterr().out.endswith(shown.replace("# ", ""))
    assert [run["rod.theta"][-1] for run in held.values()] == pytest.approx([-0.0228, -0.0227], abs=5e-5)
    assert all(run.violation["position"][-1] < 1e-12 for run in held.values())


def test_fixed_steps():
    """The pendulum ends where the comments say, on its constraint; the two masses have the paper's force."""
    made = run_all(DOCS / "fixed-steps.md")
    fixed, masses = made["fixed"], made["result"]
    assert [masses[f"link.lambda_by_{way}[1]"][-1] for way in ("accelerations", "velocities")] == pytest.approx([5 / 6] * 2, abs=1e-7)
    assert masses["first.x"][-1] - masses["second.x"][-1] == pytest.approx(3.000357, abs=5e-7)
    assert fixed["rod.theta"][-1] == pytest.approx(-0.0222, abs=5e-5) and fixed.violation["position"][-1] < 1e-15
    assert fixed.statistics.most_newton_iterations == 3


def test_temporary_constraints():
    """Half of the rod's energy of 2 J is lost in the catch, and nothing at the release."""
    changes = run_all(DOCS / "temporary-constraints.md")["result"].changes
    assert [(each.time, each.what) for each in changes] == [(0.5, "added"), (1.0, "removed")]
    assert [each.energy for each in changes] == pytest.approx([0.5, 0.0], abs=1e-9)


def test_speed():
    """Each way is taken, and all ways find the same motion."""
    runs = run_all(DOCS / "speed.md")["runs"]
    evaluated = [run.statistics.evaluated for run in runs.values()]
    assert len(set(evaluated)) == 3 and evaluated[0] == evaluated[2]
    assert all(run["rod.theta"] == pytest.approx(runs["fmus"]["rod.theta"], abs=1e-9) for run in runs.values())


def test_assembly():
    """The held angle stays, all joints are closed, and the guess chooses the branch."""
    scope = run_all(DOCS / "assembly.md")
    pose, run = scope["pose"], scope["run"]
    assert pose["crank.theta"] == 0.7 and run.outcome.completed
    assert run.violation["position"][0] < 1e-12 and run["pinC.rotation.q"][0] > 0


def test_equations(capsys):
    """The pieces print what the page shows."""
    run_all(DOCS / "equations.md")
    shown = [line[2:] for each in snippets(DOCS / "equations.md") for line in each.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


def test_theory(capsys):
    """Each comparison of a formula with the FMUs prints what the page shows."""
    run_all(DOCS / "theory.md")
    shown = [line[2:] for each in snippets(DOCS / "theory.md") for line in each.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown and shown.count("True") == 4


@pytest.mark.slow  # a compiler takes ten seconds for the equations of the arm
def test_flexible_bodies():
    """The stiff arm swings nearly as a rigid pendulum with its load, which SciPy integrates; its FMU does the same in FMPy."""
    made = run_all(DOCS / "flexible-bodies.md")
    swing, mass, length, load = made["result"], made["Arm"].data.mass, 0.6, 1.0
    inertia = mass * (length**2 / 3 + 0.04**2 / 12) + load * length**2 + 1e-3
    moment = 9.81 * length * (mass / 2 + load)
    rigid = solve_ivp(lambda t, y: [y[1], -moment * np.cos(y[0]) / inertia], (0, 0.3), [0.0, 0.0], rtol=1e-10, atol=1e-12).y[0, -1]
    assert np.arctan2(swing["load.y"][-1], swing["load.x"][-1]) == pytest.approx(rigid, abs=2e-4)
    assert 0 < swing["arm.energy.elastic"].max() < 1e-2
    alone = fmpy.simulate_fmu("swing.fmu", fmi_type="CoSimulation", stop_time=0.3, output=["load.x", "load.y"])
    assert np.arctan2(alone["load.y"][-1], alone["load.x"][-1]) == pytest.approx(rigid, abs=2e-4)


@pytest.mark.parametrize("name", PICTURES)
def test_drawings_of_frames(name: str):
    """The kept pictures are those that the program draws."""
    assert (DOCS / "pictures" / f"{name}.svg").read_text() == str(PICTURES[name]())


def integrated(sample: float, end: float, angle: float = 0.0) -> np.ndarray:
    """Returns angle and speed of the arm of the guides, which SciPy integrates between the samples of its controller."""
    state, inertia = np.array([angle, 0.0]), 1 / 12 + 0.25
    for _ in range(round(end / sample)):
        effort = 5.0 - 40.0 * (state[0] - 1.0) - 6.0 * state[1]
        of = solve_ivp(lambda t, y, u=effort: [y[1], (u - 0.5 * 9.81 * np.cos(y[0])) / inertia], (0, sample), state, rtol=1e-10, atol=1e-12)
        state = of.y[:, -1]
    return state


def test_steering(capsys, tmp_path, monkeypatch):
    """The arm follows a controller in Python as SciPy integrates it between samples; pieces by arrays have the same bits. A run that is
    resumed holds its effort. The page that is watched shows the arm in free fall."""
    monkeypatch.chdir(tmp_path)
    made = run_all(DOCS / "steering.md")
    held = made["held"]
    assert [held["rod.theta"][-1], held["rod.omega"][-1]] == pytest.approx(integrated(0.005, 2.0), abs=1e-7)
    assert made["angle"] == pytest.approx(held["rod.theta"][-1], abs=1e-9)
    assert sorted(made["reached"].values()) == list(made["reached"].values())
    said = capsys.readouterr().out
    assert "completed at t = 2" in said and "the run is shown at http://127.0.0.1:" in said
    inertia = 1 / 12 + 0.25
    lift = solve_ivp(lambda t, y: [y[1], (4.0 - 0.5 * 9.81 * np.cos(y[0])) / inertia], (0, 1.0), [0.0, 0.0], rtol=1e-10, atol=1e-12)
    assert made["later"]["rod.theta"][-1] == pytest.approx(lift.y[0, -1], abs=1e-7)
    fall = solve_ivp(lambda t, y: [y[1], -0.5 * 9.81 * np.cos(y[0]) / inertia], (0, 0.5), [0.0, 0.0], rtol=1e-10, atol=1e-12)
    assert made["run"]["rod.theta"] == pytest.approx(fall.y[0, -1], abs=1e-7)


def test_real_time(capsys):
    """Both runs take their time at least, and the arm goes as SciPy says, with the error of steps of 1 ms."""
    began = perf_counter()
    made = run_all(DOCS / "real-time.md")
    assert perf_counter() - began > 0.75
    assert [made["angle"], made["speed"]] == pytest.approx(integrated(0.001, 0.25), abs=1e-5)
    first, second = capsys.readouterr().out.splitlines()
    assert " of 50 points were late" in first and " of 250 points were late" in second


def test_agents(capsys):
    """The environment goes as SciPy says, from the start that the seed gives."""
    made = run_all(DOCS / "agents.md")
    bounded = integrated(0.01, 3.0, np.random.default_rng(0).uniform(-0.5, 0.5))
    assert made["observation"] == pytest.approx(bounded, abs=1e-4) and abs(made["observation"][0] - 1.0) < 0.1
    assert Path("episode.png").stat().st_size > 1000
    printed = capsys.readouterr().out.splitlines()
    assert float(printed[-1]) == pytest.approx(made["task"].result["rod.theta"].max())


@pytest.mark.slow  # it builds FMUs with tables of their own
def test_tables(tmp_path, monkeypatch):
    """The truck stops where the area under its curve is its energy; the harder spring of the sweep stops it earlier."""
    monkeypatch.chdir(tmp_path)
    made = run_all(DOCS / "tables.md")
    travel = 0.1 + (np.sqrt(12e3**2 + 2 * 480e3 * 400) - 12e3) / 480e3
    assert -made["landing"]["mass.s"].min() == pytest.approx(travel, rel=1e-3)
    hard = 0.1  # its energy is spent where the softer part ends, at 0.5 20e3 0.1 J
    assert made["table"]["travel"] == pytest.approx([travel, hard], rel=1e-3)


@pytest.mark.slow  # its beams take ten seconds to build
def test_flexible_beams():
    """The rod hangs below the wall, the bar stretches by F L/(E A), and rotation stiffens the blade as Galerkin's method has it."""
    made = run_all(DOCS / "flexible-beams.md")
    stiffness = 2.1e11 * 2e-11
    assert made["rest"]["fish.y"] == pytest.approx(-0.05 * 9.81 / (3 * stiffness) - 2e-5 * 7850 * 9.81 / (8 * stiffness), rel=0.02)
    assert 0 < made["run"]["rod.bent"].max() < 0.06 and not made["run"].outcome.warnings
    assert 2 * made["bar"].equilibrium()["bar.stretch[1]"] == pytest.approx(1e4 / (2.1e11 * 1e-4), rel=1e-9)
    slowness = np.sqrt(0.785 / (2.1e11 * 1e-9))
    (first, *_) = [mode.frequency for mode in made["arm"].linearise().modes() if mode.frequency > 1]
    assert first * 2 * np.pi * slowness == pytest.approx(in_plane(20.0 * slowness)[0], rel=3e-4)  # the hub turns a little
    assert [round(each / (2 * np.pi * slowness), 2) for each in (in_plane(20.0 * slowness)[0], in_plane(0.0)[0])] == [9.26, 9.15]
