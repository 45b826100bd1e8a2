"""Linear models against matrices that were derived by hand, or by SymPy from equations in minimal coordinates."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
import sympy

from coupling import System
from coupling.errors import AnalysisError, BuildError
from tests.support import foreign

BODY, WHEEL, SPRING, DAMPER, TYRE, WALL = 300.0, 40.0, 2e4, 1500.0, 2e5, 100.0


def quarter_car() -> System:
    """Body and wheel above a road whose height and rate are left open."""
    system = System("quarter-car")
    system.add("wheel", "mechanical1d.Mass", {"m": WHEEL})
    system.add("body", "mechanical1d.Mass", {"m": BODY})
    system.add("strut", "mechanical1d.SpringDamper1D", {"k": SPRING, "b": DAMPER})
    system.add("tyre", "mechanical1d.SpringDamper1D", {"k": TYRE, "b": WALL})
    system.connect("wheel.flange", "strut.M")
    system.connect("body.flange", "strut.N")
    system.connect("wheel.flange", "tyre.N")
    for each in ("tyre.M.s", "tyre.M.v", "tyre.M.a"):
        system.drive(each, 0.0)
    return system


def test_a_quarter_car_is_what_is_derived_by_hand():
    model = quarter_car().linearise(["tyre.M.s", "tyre.M.v"], ["body.s", "strut.tension"])
    assert model.states == ("wheel.s", "wheel.v", "body.s", "body.v")
    rows = {
        "wheel": np.array([-(SPRING + TYRE), -(DAMPER + WALL), SPRING, DAMPER]) / WHEEL,
        "body": np.array([SPRING, DAMPER, -SPRING, -DAMPER]) / BODY,
    }
    A = np.array([[0, 1, 0, 0], rows["wheel"], [0, 0, 0, 1], rows["body"]])
    B = np.array([[0, 0], [TYRE / WHEEL, WALL / WHEEL], [0, 0], [0, 0]])
    C = np.array([[0, 0, 1, 0], [-SPRING, -DAMPER, SPRING, DAMPER]])
    for found, expected in ((model.A, A), (model.B, B), (model.C, C), (model.D, np.zeros((2, 2)))):
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert np.sort_complex(model.eigenvalues) == pytest.approx(np.sort_complex(np.linalg.eigvals(A)), rel=1e-9)
    bode = model.bode("body.s", "tyre.M.s", [0.5, 1.2, 10.0])
    s = 2j * np.pi * bode.frequency
    strut = SPRING + DAMPER * s
    by_hand = TYRE * strut / ((BODY * s**2 + strut) * (WHEEL * s**2 + strut + TYRE + WALL * s) - strut**2)
    assert bode.response == pytest.approx(by_hand, rel=1e-9)
    assert bode.magnitude == pytest.approx(np.abs(by_hand), rel=1e-9) and bode.phase[0] > bode.phase[-1]
    assert bode.magnitude_db == pytest.approx(20 * np.log10(np.abs(by_hand)), rel=1e-9)


def test_mode_shapes_show_positions_with_their_units():
    """The body's mode moves the wheel along, and the wheel's mode hardly moves the body; rates do not stand among them."""
    model = quarter_car().linearise()
    lower, upper = (mode for mode in model.modes())
    ratio = -model.A[3, 2:] @ [1, lower.eigenvalue] + lower.eigenvalue**2  # m s^2 x2 = ... + k x1 + b s x1
    assert lower.positions["wheel.s"] == pytest.approx(ratio / (model.A[3, :2] @ [1, lower.eigenvalue]), rel=1e-9)
    assert [lower.positions["body.s"], upper.positions["wheel.s"]] == pytest.approx([1, 1], rel=1e-15) and len(lower.positions) == 2
    assert lower.shape["wheel.s"] / lower.shape["body.s"] == pytest.approx(lower.positions["wheel.s"], rel=1e-9)
    first = str(model.modes()).splitlines()[1]
    share, angle = abs(lower.positions["wheel.s"]), round(np.degrees(np.angle(lower.positions["wheel.s"])))
    assert first.endswith(f"   body.s 1 m, wheel.s {share:.2g} m at {angle}°")


def test_a_damping_of_rounding_has_no_sign():
    """An undamped motion grows by rounding: its table shows 0.0000."""
    model = pendulum().linearise(initial=pendulum().equilibrium())
    growing = replace(model, A=np.array([[1e-12, 1.0], [-9.0, 1e-12]])).modes()
    assert growing[0].damping < 0 and " 0.0000 " in str(growing)


def pendulum(**values: float) -> System:
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.ActuatedRevolute", {"rotation.b": 0.1, **values})
    system.add("rod", "planar.Body1", {"I": 1 / 12, "p1.rx": -0.5, "x": 0.0, "y": -0.5, "theta": -np.pi / 2})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def test_a_result_is_linearised_with_drives_at_the_time_of_its_last_row():
    """A torque that has jumped before then holds the rod at 30 degrees, where gravity's stiffness is less by the cosine; its inertia is 1/3."""
    system = pendulum(**{"rotation.b": 2.0})
    system.drive("pin.effort", [(0.0, 0.0), (5.0, 0.0), (5.0, 0.25 * 9.81), (100.0, 0.25 * 9.81)])
    model = system.linearise(["pin.effort"], initial=system.simulate(20.0, rtol=1e-10))
    assert model.point["pin.effort"] == pytest.approx(0.25 * 9.81, rel=1e-15)
    assert np.sort_complex(model.eigenvalues) == pytest.approx(
        np.sort_complex(np.roots([1 / 3, 2, 0.5 * 9.81 * np.cos(np.pi / 6)])), rel=1e-6
    )
    assert np.sort_complex(system.linearise().eigenvalues) == pytest.approx(np.sort_complex(np.roots([1 / 3, 2, 0.5 * 9.81])), rel=1e-6)


def test_a_result_is_linearised_with_the_drives_of_its_run_alone():
    system = pendulum(**{"rotation.b": 2.0})
    held = system.simulate(20.0, rtol=1e-10, drives={"pin.effort": lambda t: 0.25 * 9.81})
    model = system.linearise(["pin.effort"], initial=held)
    assert model.point["pin.effort"] == 0.25 * 9.81
    assert np.sort_complex(model.eigenvalues) == pytest.approx(
        np.sort_complex(np.roots([1 / 3, 2, 0.5 * 9.81 * np.cos(np.pi / 6)])), rel=1e-6
    )


def test_a_pendulum_has_two_states_and_no_poles_of_stabilisation():
    model = pendulum().linearise(["pin.effort"], ["rod.theta", "pin.multiplier*"])
    assert model.states == ("pin.rotation.q", "pin.rotation.qd")
    assert model.outputs == ("rod.theta", "pin.multiplier[1]", "pin.multiplier[2]")
    inertia, weight = 1 / 3, 9.81 / 2
    assert pytest.approx(np.array([[0, 1], [-weight / inertia, -0.1 / inertia]]), rel=1e-12, abs=1e-12) == model.A
    assert pytest.approx(np.array([[0], [1 / inertia]]), rel=1e-12) == model.B
    # The pin carries what accelerates the mass centre sideways: m l/2 theta''; its sign is that of the force on N.
    assert abs(model.C[1, 0]) == pytest.approx(0.5 * weight / inertia, rel=1e-9) and model.C[1] == pytest.approx(
        0.5 * model.A[1] * np.sign(model.C[1, 0] * model.A[1, 0]), rel=1e-9
    )
    (mode,) = model.modes()
    assert mode.frequency == pytest.approx(np.sqrt(weight / inertia) / (2 * np.pi), rel=1e-12)
    assert mode.damping == pytest.approx(0.1 / (2 * np.sqrt(weight * inertia)), rel=1e-12)
    assert str(model.modes()).splitlines()[1].endswith("   pin.rotation.q 1 rad") and "rad/s" in str(model)


def test_outputs_may_be_inputs_that_the_system_gives():
    """A force at a port is the multiplier that makes it, also in another unit; what nothing gives does not change."""
    model = pendulum().linearise(["pin.effort"], ["rod.p1.Fx", "pin.multiplier[1]"])
    assert model.C[0] == pytest.approx(model.C[1], rel=1e-12) and model.D[0] == pytest.approx(model.D[1], rel=1e-12)
    assert pytest.approx(0, abs=1e-15) == pendulum().linearise(outputs=["pin.effort"]).C
    system = System("gauge")
    system.add("mass", "mechanical1d.Mass")
    system.add("gauge", foreign.export(foreign.Model("Gauge", [foreign.Variable("s", "input", unit="mm"), READING]), 3))
    system.connect("mass.flange.s", "gauge.s")
    model = system.linearise(outputs=["gauge.s", "gauge.reading"])
    assert pytest.approx(np.array([[1000, 0], [2000, 0]]), rel=1e-6) == model.C


READING = foreign.Variable("reading", "output", value="2 * s")


def derived(
    kinetic: sympy.Expr, potential: sympy.Expr, q: list[sympy.Symbol], v: list[sympy.Symbol], at: dict, damping: dict
) -> np.ndarray:
    """A of Lagrange's equations at rest, by SymPy; dampers act on the speeds of coordinates."""
    rest = {**at, **dict.fromkeys(v, 0)}
    mass = sympy.Matrix(len(q), len(q), lambda i, j: sympy.diff(kinetic, v[i], v[j])).subs(rest)
    stiffness = sympy.hessian(potential, q).subs(rest)
    dampers = sympy.diag(*(damping.get(each, 0) for each in q))
    M, K, D = (np.array(each.evalf(30), dtype=float) for each in (mass, stiffness, dampers))
    n = len(q)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])


def test_a_four_bar_is_what_sympy_derives():
    """The four-bar has a spring and a damper at the crank and is at its equilibrium. The reference's other digits are for another four-bar."""
    from tests.whole.test_singular_poses import closed, four_bar

    system = four_bar(0.5)
    angle = 1.9
    system_with = System.of(system.definition)
    pose = system_with.equilibrium(closed(angle))
    model = system_with.linearise(initial=pose)
    assert len(model.states) == 2 and model.states[0].endswith(".rotation.q")
    crank = float(pose["crank.theta"])
    # One freedom: M(phi) phi'' + V'(phi) = 0 by angles that close the loop, differentiated by mpmath's exact arithmetic of 40 digits.
    import mpmath

    mpmath.mp.dps = 40

    def angles(phi):
        p = 0.4 * mpmath.expj(phi)
        reach = abs(1 - p)
        turn = mpmath.arg(1 - p) + mpmath.acos((mpmath.mpf("1.1") ** 2 + reach**2 - mpmath.mpf("0.8") ** 2) / (mpmath.mpf("2.2") * reach))
        return p, turn, mpmath.arg(p + mpmath.mpf("1.1") * mpmath.expj(turn) - 1)

    def potential(phi):
        p, turn, psi = angles(phi)
        return mpmath.mpf("9.81") * (
            p.imag / 2 + 0.5 * (p.imag + mpmath.mpf("0.55") * mpmath.sin(turn)) + mpmath.mpf("0.4") * mpmath.sin(psi)
        )

    def inertia(phi):
        slope = [mpmath.diff(lambda x, i=i: angles(x)[i], phi) for i in (1, 2)]
        p, turn, _ = angles(phi)
        centre = 1j * p + mpmath.mpf("0.55") * 1j * mpmath.expj(turn) * slope[0]
        m = mpmath.mpf("0.5")
        return (
            mpmath.mpf("0.16") / 3
            + mpmath.mpf("0.64") / 3 * slope[1] ** 2
            + m * abs(centre) ** 2
            + m * mpmath.mpf("1.21") / 12 * slope[0] ** 2
        )

    assert abs(float(mpmath.diff(potential, crank))) < 1e-9
    expected = float(mpmath.diff(potential, crank, 2) / inertia(crank))
    assert -np.prod(model.eigenvalues).real == pytest.approx(-expected, rel=1e-7)


def test_a_double_pendulum_is_what_sympy_derives():
    from tests.whole.test_singular_poses import double_pendulum

    system = double_pendulum(0.5)
    model = system.linearise(initial=system.equilibrium({"rod.theta": 0.1, "bob.theta": -0.2}), coordinates=["rod.theta", "bob.theta"])
    assert model.states == ("rod.theta", "rod.omega", "bob.theta", "bob.omega")
    a, b, u, w = q = sympy.symbols("a b u w")
    g = sympy.Rational(981, 100)
    x, y = sympy.sin(a) / 2 + sympy.Rational(3, 5) * sympy.sin(b), -sympy.cos(a) / 2 - sympy.Rational(3, 5) * sympy.cos(b)
    velocity = [sympy.diff(each, a) * u + sympy.diff(each, b) * w for each in (x, y)]
    half = sympy.Rational(1, 2)
    kinetic = half * (half * u**2 / 16 + half * u**2 / 48 + sum(each**2 for each in velocity) + w**2 / 10)
    potential = g * (-half * sympy.cos(a) / 4 + y)
    A = derived(kinetic, potential, list(q[:2]), list(q[2:]), {a: 0, b: 0}, {})
    order = [0, 2, 1, 3]
    assert pytest.approx(A[np.ix_(order, order)], rel=1e-9, abs=1e-9) == model.A


def test_a_step_response_differs_from_the_motion_by_the_square_of_the_step():
    system = pendulum()
    system.drive("pin.effort", lambda t: size)
    model, off = None, []
    for size in (0.02, 0.04):
        run = system.simulate(2.0, rtol=1e-11, output_times=np.linspace(0, 2, 41))
        size_kept, size = size, 0.0
        model = model or system.linearise(["pin.effort"], ["rod.theta"])
        step = model.step_response(times=np.linspace(0, 2, 41), size=size_kept)
        size = size_kept
        off.append(np.abs(run["rod.theta"] + np.pi / 2 - step["rod.theta"]).max() / size)
    # A pendulum is odd about its rest: what is left is of the third order, so that the relative difference is quadratic.
    assert off[1] / off[0] == pytest.approx(4, rel=0.1) and off[0] < 1e-3


def test_a_quaternion_and_a_turn_counter_leave_no_poles():
    system = System("spatial pendulum")
    system.add("ground", "spatial.Fixed", {"p1.zy": 1.0, "p1.zz": 0.0})
    system.add("pin", "spatial.Revolute")
    system.add("rod", "spatial.Body1", {"Iyy": 1 / 12, "p1.rz": 0.5, "p1.zy": 1.0, "p1.zz": 0.0, "z": -0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    model = system.linearise()
    assert model.states == ("pin.rotation.q", "pin.rotation.qd")
    assert -model.A[1, 0] == pytest.approx(9.81 * 0.5 * 3, rel=1e-9)


def test_a_redundant_system_has_the_model_of_the_one_that_is_not():
    """A door on two hinges, one above the other, in the plane: two revolutes at one place."""
    system = pendulum()
    system.add("second", "planar.Revolute")
    system.connect("ground.p1", "second.M")
    system.connect("second.N", "rod.p1")
    assert pytest.approx(pendulum().linearise().A, rel=1e-9, abs=1e-12) == system.linearise().A


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_without_derivatives_is_linearised_by_differences(version):
    system = System("foreign")
    system.add("spring", foreign.mass_spring(version))
    system.drive("spring.f", 5.0)
    pose = system.equilibrium()
    assert pose["spring.x"] == pytest.approx(0.05, rel=1e-9)
    model = system.linearise(["spring.f"], ["spring.v"], initial=pose)
    assert model.states == ("spring.x", "spring.v")
    assert pytest.approx(np.array([[0, 1], [-100, 0]]), abs=1e-6) == model.A and pytest.approx(np.array([[0], [1]]), abs=1e-8) == model.B


def test_to_scipy_and_pictures(tmp_path):
    model = quarter_car().linearise(["tyre.M.s"], ["body.s"])
    ours, theirs = model.step_response(times=np.linspace(0, 3, 301)), model.to_scipy()
    _, y = theirs.step(T=np.linspace(0, 3, 301))
    assert ours["body.s"] == pytest.approx(np.ravel(y), abs=1e-9)
    model.bode().plot(tmp_path / "bode.png")
    ours.plot(tmp_path / "step.png")
    model.modes().plot(tmp_path / "modes.png")
    along = quarter_car().linearise(along={"strut.b": [500.0, 1500.0]})
    along.plot(tmp_path / "locus.png")
    assert all((tmp_path / f"{name}.png").stat().st_size > 10_000 for name in ("bode", "step", "modes", "locus"))
    marks, *_ = model.modes().plot().axes
    upper, lower = model.bode().plot().axes
    assert upper.get_ylabel() == "dB of m over m" and lower.get_xlabel() == "frequency in Hz"
    assert upper.lines[0].get_ydata() == pytest.approx(model.bode().magnitude_db) and not upper.spines["top"].get_visible()
    shown = np.asarray(marks.collections[0].get_offsets()) @ [1, 1j]
    assert np.sort_complex(shown) == pytest.approx(np.sort_complex(model.eigenvalues), rel=1e-9)
    (dots, *_) = along.plot().axes[0].collections
    assert len(dots.get_offsets()) == 8 and list(dots.get_array()) == [500.0] * 4 + [1500.0] * 4


def test_to_control(monkeypatch):
    """python-control gets matrices and names; without it, that is said."""
    model = quarter_car().linearise(["tyre.M.s"], ["body.s"])
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(ImportError, match="needs python-control: pip install control; to_scipy"):
        model.to_control()
    monkeypatch.undo()
    control = pytest.importorskip("control")  # a large package that the project does not need
    made = model.to_control()
    assert made.state_labels == ["wheel_s", "wheel_v", "body_s", "body_v"]
    assert made.input_labels == ["tyre_M_s"] and made.output_labels == ["body_s"]
    assert control.dcgain(made) == pytest.approx(1, rel=1e-9) and np.asarray(made.A) == pytest.approx(model.A)


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (lambda s: s.linearise(["pin.torque"]), BuildError, "'pin' (planar.ActuatedRevolute) has no port or variable 'torque'"),
        (lambda s: s.linearise(["pump.effort"]), BuildError, "linearise: inputs: there is no instance 'pump'"),
        (
            lambda s: s.linearise(outputs=["rod.thet"]),
            BuildError,
            "outputs: 'rod' (planar.Body1) has no port or variable 'thet'; did you mean",
        ),
        (lambda s: s.linearise(outputs=["*.thetaa"]), BuildError, "outputs: no variable matches '*.thetaa'"),
        (lambda s: s.linearise(["rod.p1.Fx"]), BuildError, "'rod.p1.Fx' is connected, and the system gives its value"),
        (lambda s: s.linearise(["rod.theta"]), BuildError, "'rod.theta' is no real input"),
        (lambda s: s.linearise(outputs=["rod.m"]), BuildError, "'rod.m' does not vary continuously"),
        (lambda s: s.linearise(coordinates=["rod.p1.x"]), BuildError, "neither a state nor the coordinate of a joint's freedom"),
        (lambda s: s.linearise(coordinates=["rod.y"]), AnalysisError, "'rod.y' cannot be among the coordinates at this point"),
        (lambda s: s.linearise(initial=3), BuildError, "start values 3 are refused"),
        (lambda s: s.linearise(hold=["rod.theta"]), BuildError, "hold and free belong to equilibria along a parameter; give along={...}"),
        (lambda s: s.linearise(along={}), AnalysisError, "along = {} is refused: give parameters and their values"),
        (
            lambda s: s.linearise(along={"rod.m": "many"}),
            AnalysisError,
            "along: the values of 'rod.m', 'many', are refused: give a list of numbers",
        ),
        (lambda s: s.linearise(along={"rod.mass": [1.0]}), BuildError, "'rod' (planar.Body1) has no variable 'mass'"),
        (lambda s: s.linearise().bode(), AnalysisError, "the linear model has no inputs"),
        (lambda s: s.linearise(["pin.effort"]).bode("rod.x"), AnalysisError, "output = 'rod.x' is none of the linear model"),
        (lambda s: s.linearise(["pin.effort"]).bode(frequencies=[0.0]), AnalysisError, "frequencies = [0.0] is refused"),
        (lambda s: s.linearise(["pin.effort"]).step_response(times=[1.0, 2.0]), AnalysisError, "times = [1.0, 2.0] is refused"),
    ],
)
def test_sentences(ask, error, sentence):
    with pytest.raises(error) as told:
        ask(pendulum())
    assert sentence in str(told.value)


@pytest.mark.parametrize("ask", [System.equilibrium, System.linearise, lambda system: system.sensitivities(["spring.k"])])
def test_an_fmu_that_keeps_its_states_to_itself_is_refused(ask):
    """Such an FMU runs in Co-Simulation, by request or since it offers nothing else."""
    told, alone = System("told"), System("alone")
    told.add("spring", foreign.mass_spring(2), kind="cs")
    alone.add("spring", foreign.no_model_exchange(3))
    for system, remedy in ((told, "give it the kind 'me'"), (alone, "use an FMU that offers Model Exchange")):
        with pytest.raises(BuildError) as refusal:
            ask(system)
        assert "'spring' runs in Co-Simulation, which gives no access to its states" in str(refusal.value)
        assert str(refusal.value).endswith(remedy)


def test_a_motion_that_is_not_steady_is_refused():
    moved = {"rod.x": 0.5, "rod.y": 0.0, "rod.theta": 0.0, "rod.omega": 1.0, "rod.vy": 0.5}
    with pytest.raises(AnalysisError, match=r"does not stand still here, nor move steadily: 'pin\.rotation\.qd' changes by 15 rad/s2"):
        pendulum().linearise(initial=moved)


def test_a_family_of_models_along_a_stiffness():
    """The rod hangs where its spring is at rest: A follows k."""
    stiffness = [0.0, 2.0, 5.0]
    system = pendulum(**{"rotation.rest": -np.pi / 2})
    family = system.linearise(["pin.effort"], ["rod.theta"], along={"pin.rotation.k": stiffness})
    assert family.parameter == "pin.rotation.k" and list(family.values) == stiffness
    assert family.matrices("A")[:, 1, 0] == pytest.approx([-3 * (9.81 / 2 + k) for k in stiffness], rel=1e-9)
    assert len({model.states for model in family}) == 1 and family.matrices("B").shape == (3, 2, 1)
    assert family.equilibria.of("rod.theta") == pytest.approx([-np.pi / 2] * 3, abs=1e-12)
    with pytest.raises(AnalysisError, match=r"stone\.m = 1: no equilibrium was found"):
        falling = System("falling")
        falling.add("stone", "planar.Body1")
        falling.linearise(along={"stone.m": [1.0]})


def test_a_family_follows_equilibria_that_move():
    """A rod held level by a free torque: A grows with the weight's moment, the torque as well; from a start of the user's."""
    start = {"rod.x": 0.5, "rod.y": 0.0, "rod.theta": 0.0}
    family = pendulum().linearise(
        ["pin.effort"], ["rod.y"], start, ["rod.theta"], along={"rod.m": [1.0, 2.0]}, hold=["rod.theta"], free=["pin.effort"]
    )
    assert family.equilibria.of("pin.effort") == pytest.approx([9.81 / 2, 9.81], rel=1e-12)
    assert family[0].states == ("rod.theta", "rod.omega") and family.matrices("C")[:, 0, 0] == pytest.approx([0.5, 0.5], rel=1e-12)
    assert [model.A[1, 1] for model in family] == pytest.approx([-0.1 / (m / 4 + 1 / 12) for m in (1.0, 2.0)], rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_a_free_body_in_space_has_modes_at_rest():
    """Its motions have no frequency; a mode of the attitude alone has no places, which are 0."""
    system = System("drifting", gravity=(0.0, 0.0, 0.0))
    system.add("body", "spatial.Body1")
    modes = system.linearise().modes()
    assert [mode.frequency for mode in modes] == pytest.approx([0.0] * len(modes), abs=1e-12)
    assert all(np.isfinite(list(mode.positions.values())).all() for mode in modes)


def test_a_singular_pose_is_refused():
    from tests.whole.test_singular_poses import rockers

    with pytest.raises(AnalysisError, match="in a singular pose: 4 directions are free there, and 2 beside it"):
        rockers(2, 0.0, 0.0).linearise()
