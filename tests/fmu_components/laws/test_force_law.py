"""Force laws by a formula: motions against closed forms, in all ways of evaluation and in FMUs, and sentences for what is no formula."""

from __future__ import annotations

from math import asin, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu
from scipy.special import ellipj, ellipk

from build_fmus import main
from fmu_components.export.build import cached_fmu
from jourdain import DeclarationError, System, force_law
from tests.support.fused.agreement import ALLOWED
from tests.support.fused.ways import ways_disagreement

FINE = {"solver": "dop853", "rtol": 1e-12}


def on_a_line(law: type, values: dict[str, float] | None = None, **mass: float) -> System:
    """Returns a mass on a wall by a law."""
    system = System("line")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", mass)
    system.add("law", law, values)
    system.connect("wall.flange", "law.M")
    system.connect("mass.flange", "law.N")
    return system


def test_a_spring_that_hardens() -> None:
    """m s'' + k s + c s^3 = 0 has the solution A cn(u, p) by Jacobi, with other values of the parameters than the class has."""
    m, k, c, A = 2.0, 50.0, 300.0, 0.6
    law = force_law("k*s + c*s^3", k=("N/m", 1.0), c=("N/m3", 1.0))
    result = on_a_line(law, {"k": k, "c": c}, m=m, s=A).simulate(3.0, **FINE)
    p = c * A**2 / (2 * (k + c * A**2))
    cn = ellipj(sqrt((k + c * A**2) / m) * result.time, p)[1]
    assert result["mass.s"] == pytest.approx(A * cn, abs=1e-9)
    energy = k * A**2 / 2 + c * A**4 / 4
    stored = k * result["law.s"] ** 2 / 2 + c * result["law.s"] ** 4 / 4
    assert m * result["mass.v"] ** 2 / 2 + stored == pytest.approx(energy + 0 * stored, rel=1e-10)


def test_a_pendulum_by_a_torque() -> None:
    """phi'' = -w0^2 sin(phi) has the solution 2 asin(k sn(K - w0 t)) by Jacobi."""
    inertia, weight, start = 0.5, 4.0, 2.5
    system = System("shaft")
    system.add("wall", "mechanical1d.Fixed1D")
    system.add("rod", "mechanical1d.Inertia", {"I": inertia, "phi": start})
    system.join(force_law("weight*sin(phi)", between="shaft", weight=("N.m", weight)), "wall.shaft", "rod.flange", name="law")
    result = system.simulate(4.0, **FINE)
    k = sin(start / 2)
    sn = ellipj(ellipk(k**2) - sqrt(weight / inertia) * result.time, k**2)[0]
    assert result["rod.phi"] == pytest.approx(2 * np.arcsin(k * sn), abs=1e-9)
    assert asin(k) > 1


@pytest.mark.parametrize("between", ["plane", "space"])
def test_a_planet_on_an_ellipse(between: str) -> None:
    """A pull of GM/s^2 between two points: Kepler's ellipse, its period and the far end of its axis."""
    gm, near, v = 4.0, 1.0, 2.3
    half = 1 / (2 / near - v**2 / gm)
    point = "planar.PointMass1" if between == "plane" else "spatial.PointMass1"
    system = System("orbit", gravity=(0.0, 0.0) if between == "plane" else (0.0, 0.0, 0.0))
    system.add("sun", point.replace("PointMass1", "Fixed"))
    speed = {"vy": v} if between == "plane" else {"vy": v * 0.6, "vz": v * 0.8}
    system.add("planet", point, {"x": near, **speed})
    law = force_law("pull/s**2", between=between, pull=("N.m2", gm))
    system.join(law, "sun.p1", "planet.p1", name="gravity")
    period = 2 * pi * sqrt(half**3 / gm)
    result = system.simulate(period, output_times=[0, period / 2, period], **FINE)
    assert result["planet.x"][-2:] == pytest.approx([near - 2 * half, near], abs=1e-8)
    assert result["gravity.s"][-2] == pytest.approx(2 * half - near, rel=1e-9)


def test_a_damper_by_a_current_and_a_force_by_time() -> None:
    """Names may be signals that enter, and the time: a damper by a current slows exponentially; a force of time moves by its integrals."""
    damper = force_law("(c0 + c1*current)*v", c0=("N.s/m", 1.0), c1=("N.s/m.A", 3.0), current="A")
    system = on_a_line(damper, m=2.0, v=1.5)
    system.drive("law.current", 0.5)
    assert system.simulate(1.0, **FINE)["mass.v"][-1] == pytest.approx(1.5 * np.exp(-2.5 / 2.0), rel=1e-10)
    shaker = force_law("-F*sin(w*t)", F=("N", 3.0), w=("1/s", 4.0))
    result = on_a_line(shaker, m=2.0, s=0.0).simulate(1.0, **FINE)
    assert result["mass.v"][-1] == pytest.approx(3 / (2 * 4) * (1 - np.cos(4.0)), rel=1e-10)


def test_functions_and_corners() -> None:
    """A cable that only pulls, with a rest length: as long as it is taut its motion is that of a spring."""
    cable = force_law("max(0, k*(s - rest) + b*v)", k=("N/m", 80.0), rest=("m", 1.0), b=("N.s/m", 0.0))
    result = on_a_line(cable, m=0.5, s=1.4).simulate(0.5, **FINE)
    taut = pi / 2 / sqrt(80 / 0.5)
    exact = np.where(result.time < taut, 1 + 0.4 * np.cos(sqrt(160) * result.time), 1 - 0.4 * sqrt(160) * (result.time - taut))
    assert result["mass.s"] == pytest.approx(exact, abs=1e-9)
    assert result["law.tension"].min() == 0.0


@pytest.mark.parametrize("library", ["planar", "spatial"])
def test_it_is_a_spring_where_the_formula_says_so(library: str) -> None:
    """Two bodies in free motion move as with the spring of the catalogue, to the last digits; tapes and compiled code agree."""

    def bodies(part: str | type) -> System:
        system = System("two", gravity=(0.0, 0.0, -3.0)[: 2 if library == "planar" else 3])
        spin = {"omega": 1.0} if library == "planar" else {"omegax": 1.0, "omegaz": -0.4}
        system.add("one", f"{library}.Body1", {"p1.rx": 0.3, **spin})
        system.add("two", f"{library}.Body1", {"x": 1.0, "y": 0.5, "p1.ry": 0.2, "vx": 0.3})
        system.join(part, "one.p1", "two.p1", {"k": 40.0, "b": 0.7, "rest": 0.8}, name="spring")
        return system

    between = "plane" if library == "planar" else "space"
    law = force_law("k*(s - rest) + b*v", between=between, k=("N/m", 1.0), b=("N.s/m", 0.0), rest=("m", 0.0))
    found, known = (bodies(each).simulate(2.0, **FINE) for each in (law, f"{library}.SpringDamper"))
    for name in ("one.x", "two.y", "spring.tension", "spring.power"):
        assert found[name][-1] == pytest.approx(known[name][-1], rel=1e-11, abs=1e-11)
    assert ways_disagreement(bodies(law).build(communication=False)) < ALLOWED


@pytest.mark.parametrize("fmi", [2, 3])
def test_fmpy_runs_its_fmu(fmi: int) -> None:
    """An FMU of the law is valid, and gives the force of its inputs by the formula."""
    law = force_law("k*s + c*v**3", name="Hardening", k=("N/m", 100.0), c=("N.s3/m3", 2.0))
    path = cached_fmu(law, fmi)
    assert validate_fmu(str(path)) == []
    found = simulate_fmu(
        str(path), stop_time=0.1, start_values={"N.s": 0.3, "N.v": 2.0, "k": 10.0}, output=["tension"], fmi_type="ModelExchange"
    )
    assert found["tension"][-1] == pytest.approx(10 * 0.3 + 2 * 8, rel=1e-14)
    assert "k*s + c*v**3" in read_model_description(str(path)).description


def test_the_command_line_builds_it_from_a_file(tmp_path: Path) -> None:
    """A class of a user's on top of the law is a component of its file."""
    (tmp_path / "law.py").write_text(
        "from jourdain import force_law\n\n\n"
        'class Stop(force_law("k*max(0, s)", k=("N/m", 5.0))):\n    """Stop: it pushes back where N is above M."""\n'
    )
    assert main([str(tmp_path / "law.py"), "--out", str(tmp_path), "--fmi", "3"]) == 0
    assert [path.name for path in (tmp_path / "fmi3").glob("*.fmu")] == ["Stop.fmu"]


WRONG = {
    "k*x": "'x' is not known; it may use pi, k, s, v, t, and other names that you give",
    "k*s +": r"it cannot be read; give numbers, names, functions and \+ - \* / \*\*",
    "__import__('os')": "'__import__' is no function of formulas",
    "k*s.real": "'s.real' has no meaning in it",
    "k*s if s > 0 else 0": "has no meaning in it",
    "'a'": "has no meaning in it",
    "True*s": "'True' has no meaning in it",
    "9**9**9**9*s": "is no finite real number; correct it",
    "1/0*s": "'1 / 0' is no finite real number",
    "log(-1)*s": "is no finite real number",
    "exp(exp(exp(100)))": "is no finite real number",
    "sin(1, 2)": "'sin' has 2 operands; give 1",
    "k*min(s)": "'min' has 1 operands; give 2 to 9",
    "k*s + v": "differ in dimension",
    "sin(s)*k": "takes a function of a quantity with the dimension",
    "v/v": "it does not use 'k'; leave this value out, or correct the formula",
    "(" * 300 + "s" + ")" * 300: "it cannot be read",
    "-" * 900 + "k*s*v": "tension has the unit 'N'|too deeply nested",
    "k" * 2000: "its 2000 characters are more than 1000",
    "": "it cannot be read",
    "k*s\x00": "it cannot be read",
}


@pytest.mark.parametrize("formula", WRONG, ids=range(len(WRONG)))
def test_what_is_no_formula_is_refused(formula: str) -> None:
    """One sentence names the formula and the part that is wrong, and no text is ever run."""
    with pytest.raises(DeclarationError, match=WRONG[formula]) as refused:
        force_law(formula, k=("N/m", 100.0))
    assert len(str(refused.value).split()) <= 40


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"between": "lines"}, "between = 'lines' is refused: give 'line', 'shaft', 'plane', 'space'"),
        ({"name": "my law"}, "name = 'my law' is refused"),
        ({"k": None}, "k = None is refused: give a number, a unit and a number"),
        ({"k": ("N/m", True)}, "is refused: give a number"),
        ({"k": ("N/m", float("nan"))}, "is refused: give a number"),
        ({"k": ("N/parsec", 1.0)}, "the unit 'N/parsec' has the unknown factor 'parsec'"),
        ({"s": ("m", 1.0)}, "the variable 's' is declared twice; rename one of the two"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        force_law("k*s", **{"k": ("N/m", 1.0), **options})  # type: ignore[arg-type]  # of wrong types


def test_a_text_is_asked_for() -> None:
    with pytest.raises(DeclarationError, match="the formula 5 is refused: it is no text"):
        force_law(5)  # type: ignore[arg-type]  # of a wrong type
