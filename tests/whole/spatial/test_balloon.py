"""A balloon that carries a slider and two pendulums, by blocks (Alazard, Sanfedino and Kassarian).

The digits are those of four formulations that agree: Lagrange's equations in two charts, the paper's own blocks with a linear solve, and a
kinematic tree of another tool. The equilibria are minima of the potential in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Container
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import Ending, System, orientation
from tests.support.runtime.driver import Driver
from tests.support.systems.exported import export
from tests.support.systems.space import attitude_of, port, three, vector

G = 9.81  # m/s2, along -y
CRITICAL = 9 * G * 17.4 / 68.4  # N/m: a softer slider lets the balloon tilt
LIFT = 16 * G
TENSOR = np.array(((5.0, 0, 0), (0, 10, -7), (0, -7, 10)))
MASSES = {"balloon": 10.0, "slider": 1.0, "upper": 2.0, "lower": 3.0}
SETS = {"A": (50.0, 5.0, 0.2), "B": (10.0, 1.0, 0.1), "C": (50.0, 0.0, 0.0)}
"""Stiffness and damping of the slider, damping of the pendulums."""
WRENCHES = (
    ("slider", 0, (-3.1458799509, -54.1930741766, -3.1458799509), (-2.7901798235, 0.6002346816, 0)),
    ("upper", 0, (-7.7436429701, -43.9163815942, -2.8805114727), (-2.7901798235, 0.6002346816, 0)),
    ("lower", 170, (-4.5755997801, 25.9495158469, -0.3837001335), (-0.6045933862, -0.1066061263, 0)),
)
"""Wrenches at the start, on the parent of each block, in axes turned about z by so many degrees: force and torque, by the paper's blocks."""
MOTION = {
    "A": """
0.5 -0.0579228044 0.1917412151 -0.0135805681 0.9946262652 0.0084169052 -0.0575608704 -0.0856416628 -0.0197186105 2.1643144092 -2.2785814811 -0.0872898655 -0.3366614905 -0.4800604984 0.6644977786 -3.3789520563 3.1094868160 -107.642733185
1 0.0463252222 0.5583909736 0.0316888005 0.9972855187 -0.0716335448 -0.0158604033 -0.0062190853 0.7889747035 -0.9957155608 1.4653869012 0.5320319315 -0.0102653485 0.2487884626 -3.8147190086 -2.4139772409 4.1535132415 -141.842104048
2 0.1271192657 0.7135891838 0.0032118622 0.9858695800 -0.0558367247 -0.0566135892 -0.1474392513 0.6563914160 0.6451120195 -0.8544176331 -0.2910772821 1.4639849162 2.2431975900 0.1883707225 -4.5821886864 0.4834377762 -180.697075099
5 0.2188234612 0.7164083086 -0.0386282894 0.9936344097 -0.0071541259 -0.0032645455 -0.1123780272 -0.0697133832 0.1800478212 0.2089141689 -0.1197705371 -0.6798195643 -1.0308053556 1.1711660698 0.6773596554 1.8194302203 -211.419141065
10 -0.0470157295 0.7331693488 0.0067290120 0.9789873482 0.0225892012 0.1705105086 0.1095429894 -0.1560443533 -0.1904439357 -0.1375466514 -0.0231361911 -0.2060177624 -0.2851152265 -0.0110301093 0.5384760505 0.5874649658 -219.247099183
""",
    "B": """
0.5 -0.0465478820 0.2084356275 -0.0268174926 0.9968689615 0.0271411511 -0.0409460588 -0.0619600819 -0.2292840591 2.0744891365 -2.2192720052 -0.0176540030 -0.2204875908 -0.2872380330 -0.0112248327 -3.7172158590 3.3732145854 -107.354805447
1 -0.0719843666 0.6787352749 0.0946639998 0.9584149313 -0.2015813210 -0.1058121505 -0.1720743421 2.5566409527 -1.3243094196 1.9523936051 -1.2562738454 -0.3471790776 -1.5207287124 5.5270703954 -4.8347291258 6.2481960324 -139.112372176
2 0.2341608955 1.4608278844 -0.0172559936 0.8388432637 -0.4101869404 0.1744744978 -0.3124856835 4.9879311860 -7.2118783164 8.4206131952 -0.7371649338 0.1651023588 -0.2571263586 6.0288230209 -2.0989867112 1.7709286044 -179.590518327
5 -0.2590793077 1.4200707406 0.0477904648 0.8960436882 -0.3020499353 0.0769881488 -0.3161397956 3.6458170963 -5.1888150943 6.1212851571 0.1702368832 0.0940008216 0.9853642715 -1.0757020093 -6.1297134235 7.1805155502 -244.422838974
10 -0.1539678733 1.8983463509 0.0384859962 0.8656280367 -0.3440429630 0.0700858325 -0.3569460994 5.1127090717 -5.5571947371 6.6753696031 -0.0917846971 -0.0083323802 -0.0464587785 1.5861536879 -1.7380595172 2.4872396508 -268.526288957
""",
    "C": """
0.5 -0.0576850080 0.2017316998 -0.0158026241 0.9949246560 0.0115290062 -0.0558933271 -0.0828730773 -0.0523290140 2.1283208164 -2.2472896342 -0.1820739346 -0.4293809685 -0.5758809119 1.1739445569 -3.3475420498 3.1671359768 -106.842215658
1 -0.0265598091 0.7254972389 0.0699214523 0.9715962859 -0.1343449448 -0.1214186088 -0.1523470198 1.8944234605 -0.7766437422 1.4898208978 0.6960184243 -0.5232949205 -0.5268138705 -4.3273193922 0.6744098707 1.7421235879 -106.842215658
2 0.0340818416 0.2917963296 -0.0137970059 0.9946023624 -0.0116230724 -0.1030910841 0.0018092145 0.0565225303 0.9828555728 -2.5049910889 0.3459489020 -0.3754815982 -0.7166346236 -1.5623185586 5.6509008117 -4.7797979534 -106.842215658
5 0.0124919029 0.2191084180 0.0509954247 0.9424576740 0.0239474623 -0.0600548574 0.3280144292 -0.0768088834 -0.9523858363 -1.4882823116 -1.5676275076 0.0192040727 -1.1235152791 7.1001991790 -1.4884088218 3.4642028073 -106.842215658
""",
}
"""Lines of time, place of the balloon, its quaternion, slider and angles, its angular velocity about its own axes, rates, and energy."""
COLUMNS = [*(f"balloon.{n}" for n in ("x", "y", "z", "q0", "q1", "q2", "q3")), *(f"{n}.q" for n in ("slider", "upper", "lower"))]
COLUMNS += [*(f"balloon.w{a}" for a in "xyz"), *(f"{n}.qd" for n in ("slider", "upper", "lower"))]


LIMBS = {"slider": (1.0, 0.0), "upper": (2.0, 1.2), "lower": (3.0, 1.6)}
"""Mass, and how far below its joint the mass centre is."""


def balloon(
    k: float,
    slider: float,
    pendulums: float,
    *,
    absolute: Container[str] = (),
    inertia: float = 0.0,
    start: tuple[float, float, float] = (0.0, math.radians(170), math.radians(-170)),
) -> System:
    """The slider moves along (1, 0, -1) of the balloon; slider and pendulums are points, without moments of inertia unless told.

    Those named ``absolute`` are bodies on multiplier joints, of the same frames and start.
    """
    made = System("balloon")
    gravity = {"gx": 0.0, "gy": -G, "gz": 0.0}
    rail = {"zx": 1.0, "zz": -1.0, "xx": 0.0, "xy": 1.0, "xz": 0.0}
    tensor = {"Ixx": 5.0, "Iyy": 10.0, "Izz": 10.0, "Iyz": -7.0}
    made.add("balloon", "spatial.Body2", {"m": MASSES["balloon"], **tensor, **gravity, **port("p1", ry=-2.0, **rail)})
    made.add("buoyancy", "spatial.Wrench", {"Fy": LIFT})
    made.connect("balloon.p2", "buoyancy.M")
    parent, joint, angle = "balloon.p1", np.array((start[0] / math.sqrt(2), -2.0, -start[0] / math.sqrt(2))), 0.0
    for (name, (mass, below)), q in zip(LIMBS.items(), start, strict=True):
        slides = name == "slider"
        own = {"ry": below, **(rail if slides else {})}  # the frame of the child is that of the body: pendulums turn about its z
        angle += 0.0 if slides else q
        joint = joint + below * np.array((math.sin(angle), -math.cos(angle), 0))  # the mass centre, where the next joint is
        body = {"m": mass, **gravity, "Ixx": inertia, "Iyy": inertia, "Izz": inertia}
        spring = {"k": k, "b": slider} if slides else {"b": pendulums}
        if name in absolute:
            made.add(name, "spatial.Body2", body | port("p1", **own) | vector("", joint) | orientation((0, 0, 1), angle))
            freedom = "translation" if slides else "rotation"
            made.add(f"{name}-joint", f"spatial.{'Prismatic' if slides else 'Revolute'}", port(freedom, **spring))
            made.connect(parent, f"{name}-joint.M")
            made.connect(f"{name}-joint.N", f"{name}.p1")
            parent = f"{name}.p2"
        else:
            made.add(
                name,
                f"spatial.{'Prismatic' if slides else 'Revolute'}Body",
                body | spring | block(below, rail if slides else {}) | {"q": q},
            )
            made.connect(parent, f"{name}.P")
            parent = f"{name}.C1"
    return made


def block(below: float, axes: dict[str, float]) -> dict[str, float]:
    """Returns the parameters of a limb whose child hangs on its mass centre, so far below the joint."""
    return {"ry": -below, "C1.ry": -below, **port("P", **axes)}


@cache
def by_name(name: str) -> System:
    return balloon(*SETS[name])


def energy_of(result) -> np.ndarray:
    bodies = sum(result[f"{name}.energy.{kind}"] for name in MASSES for kind in ("kinetic", "potential"))
    return bodies - LIFT * result["balloon.y"] + sum(result[f"{name}.spring.energy"] for name in ("slider", "upper", "lower"))


def test_accelerations_and_wrenches_at_the_start():
    """They agree to 1e-9. The tensor is one that no distribution of mass has, which only gives a warning."""
    result = by_name("A").simulate(1e-3, output_times=[0.0, 1e-3])
    assert result.outcome.ending is Ending.COMPLETED
    assert ["tensor of inertia" in each for each in result.outcome.warnings] == [True]
    assert three(result, "balloon.p2.a")[0] == pytest.approx((-0.3145879951, 0.4666925823, -0.3145879951), abs=1e-9)
    assert three(result, "balloon.p2.alpha")[0] == pytest.approx((0.7003160157, -0.7458818137, -1.1512932598), abs=1e-9)
    joints = [result[f"{name}.qdd"][0] for name in ("slider", "upper", "lower")]
    assert joints == pytest.approx((-2.8009751247, -6.0155746547, 4.7469794862), abs=1e-9)
    for name, of_parent, force, torque in WRENCHES:
        turn = Rotation.from_euler("z", of_parent, degrees=True)
        assert three(result, f"{name}.P.F")[0] == pytest.approx(turn.apply(force), abs=1e-9)
        assert three(result, f"{name}.P.C")[0] == pytest.approx(turn.apply(torque), abs=1e-9)


@pytest.mark.parametrize("evaluation", ["fmus", "tape"])
@pytest.mark.parametrize("name", SETS)
def test_it_moves_as_the_reference(name, evaluation):
    """States agree to 1e-8, energy to 1e-9. Momentum and angular momentum about the vertical stay 0, the mass centre stays, energy falls by
    dampers alone."""
    rows = np.array([[float(each) for each in line.split()] for line in MOTION[name].split("\n") if line])
    result = by_name(name).simulate(
        rows[-1, 0], solver="dop853", rtol=1e-13, atol=1e-13, output_times=[0, *rows[:, 0]], evaluation=evaluation
    )
    found = np.array([result[column] for column in COLUMNS])
    found[3:7] *= np.sign(found[3]) / np.linalg.norm(found[3:7], axis=0)
    assert pytest.approx(rows[:, 1:-1], abs=1e-8) == found[:, 1:].T
    energy = energy_of(result)
    assert energy[1:] == pytest.approx(rows[:, -1], abs=1e-9)
    if name == "C":
        assert np.ptp(energy) < 1e-10
    else:
        assert np.all(np.diff(energy) < 0)
    turn = Rotation.from_quat(found[[4, 5, 6, 3]].T)
    spin = turn.apply(turn.inv().apply(three(result, "balloon.p2.omega")) @ TENSOR)
    still = np.zeros((len(rows) + 1, 3))
    centre, momentum, angular = still, still, spin
    for body, mass in MASSES.items():
        place, v = ("balloon.", "balloon.v") if body == "balloon" else (f"{body}.C1.", f"{body}.C1.v")
        centre = centre + mass * three(result, place) / 16
        momentum = momentum + mass * three(result, v)
        angular = angular + mass * np.cross(three(result, place), three(result, v))
    assert centre == pytest.approx(np.tile((0.0651180666, -0.6806970926, 0), (len(rows) + 1, 1)), abs=1e-10)
    assert momentum == pytest.approx(still, abs=1e-11)
    assert angular[:, 1] == pytest.approx(still[:, 1], abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "fmi"), [("me", 2), ("me", 3), ("cs", 2), ("cs", 3)])
def test_as_one_fmu(kind, fmi):
    """Exported, it has the accelerations of the start to 1e-9, and moves as the reference to 1e-8."""
    limbs = [name for name in MASSES if name != "balloon"]
    with Driver(as_one_fmu(fmi), kind) as fmu:
        fmu.start()
        assert [fmu[f"{name}.acceleration"] for name in limbs] == pytest.approx((-2.8009751247, -6.0155746547, 4.7469794862), abs=1e-9)
        assert [fmu[f"balloon.p2.a{a}"] for a in "xyz"] == pytest.approx((-0.3145879951, 0.4666925823, -0.3145879951), abs=1e-9)
        if kind == "me":
            return
        row = [float(each) for each in MOTION["A"].split("\n")[2].split()]
        fmu.step(0.0, row[0])
        found = np.array(list(fmu.get(COLUMNS).values()))
        found[3:7] *= np.sign(found[3]) / np.linalg.norm(found[3:7])
        assert found == pytest.approx(row[1:-1], abs=1e-8)


@cache
def as_one_fmu(fmi: int) -> Path:
    return export(by_name("A"), fmi, outputs=tuple(COLUMNS))


TILTED = {
    5: (0.6744013734702, 1.3298699907353, -11.511769109137, -435.995234532),
    10: (0.5553866359161, 1.0818834536638, -5.316666915852, -278.337382391),
    15: (0.4196698504828, 0.8087392813849, -2.963645123311, -236.850556609),
    20: (0.2357799946331, 0.4499809370071, -1.366219551251, -224.751036800),
    22: (0.1010976407563, 0.1922426698183, -0.550543339137, -223.702486182),
}
"""Values by k: phi, psi = -th1, the slider's place, and the potential. The attitude is Rx(phi) Rz(psi), up to a turn about the vertical."""
MODES = {
    (50.0, 0.0, 0.0): "1.81954079178i 1.83483397832i 3.57119996173i 5.60561559626i 9.2055534098i",
    (50.0, 5.0, 0.2): """-0.00440587581+1.82131417353i -0.00058695758+1.83487079821i -0.14914998065+3.67663480956i
-2.66453727031+6.59036818578i -1.60268903824+6.85327535467i""",
    (10.0, 0.0, 0.0): "1.42865854223i 1.45465855272i 1.61205613253i 3.39100221975i 7.22206360968i",
    (10.0, 1.0, 0.1): """-0.00132042895+1.42973715111i -0.00001162988+1.45466504395i -0.15836620201+1.60311169466i
-0.01074472519+3.39085101772i -0.13941377353+7.22063223433i""",
    (20.0, 1.0, 0.1): """-0.22132141653+1.57554878623i -0.00018248308+1.81675144019i -0.1041122738+1.86409982112i
-0.06360388816+3.85582284545i -0.16284312423+7.58511906421i""",
}
UPRIGHT = {"slider.q": 0.0, "upper.q": 0.0, "lower.q": 0.0}


def near(k: float) -> dict[str, float]:
    """A start from which it comes to rest on the side of the tables."""
    if k > CRITICAL:
        return UPRIGHT
    phi, psi, place, _ = TILTED[int(k)]
    attitude = orientation(euler="xyz", angles=(0.9 * phi, 0.0, 0.9 * psi))
    return {"slider.q": 0.9 * place, "upper.q": -psi, "lower.q": 0.1, **{f"balloon.{n}": v for n, v in attitude.items()}}


def vertical(pose) -> np.ndarray:
    """Returns the vertical in axes of the balloon."""
    return Rotation.from_quat([pose[f"balloon.q{i}"] for i in (1, 2, 3, 0)]).inv().apply((0, 1, 0))


@pytest.mark.parametrize("k", TILTED)
def test_tilted_equilibria(k):
    """They agree to 1e-9 and are stable; the balloon may be anywhere and turned about the vertical."""
    made = balloon(k, 1.0, 0.1)
    pose = made.equilibrium(near(k))
    phi, psi, place, _ = TILTED[k]
    assert pose.stable and {"balloon.x", "balloon.y", "balloon.z"} < set(pose.neutral)
    assert [pose["slider.q"], pose["upper.q"], pose["lower.q"]] == pytest.approx((place, -psi, 0), abs=1e-9)
    expected = (math.cos(phi) * math.sin(psi), math.cos(phi) * math.cos(psi), -math.sin(phi))
    assert vertical(pose) == pytest.approx(expected, abs=1e-9)


def test_from_the_start_it_slides_down_to_where_it_is_stable():
    """It starts with both pendulums up and to the side, for a slider stiff enough and for one that is not."""
    for k in (50.0, 10.0):
        pose = balloon(k, 1.0, 0.1).equilibrium()
        assert pose.stable and abs(pose["slider.q"]) == pytest.approx(0.0 if k == 50 else -TILTED[10][2], abs=1e-9)


def test_the_pitchfork_is_found_along_the_stiffness():
    """It is found to 1e-6 N/m, between values on both sides."""
    along = balloon(30.0, 1.0, 0.1).equilibria("slider.k", [30.0, 24.0, 21.0], initial=UPRIGHT)
    assert along.branch_points == pytest.approx([CRITICAL], abs=1e-6)
    assert not along[2].stable
    left, right = (each["slider.q"] for each in along[2].alternatives)
    assert abs(left) > 0.5 and left == pytest.approx(-right, abs=1e-9)


@pytest.mark.parametrize("parameters", MODES)
def test_eigenvalues(parameters):
    """Five pairs to 1e-7; besides eight that are 0, as nothing brakes it along x, y, z and about the vertical: rank A = 14, rank A^2 = 10."""
    made = balloon(*parameters)
    model = made.linearise([], [], initial=made.equilibrium(near(parameters[0])))
    found = sorted(model.eigenvalues, key=abs)
    assert len(found) == 18 and abs(found[7]) < 1e-5
    expected = sorted((complex(each.replace("i", "j")) for each in MODES[parameters].split()), key=abs)
    pairs = [each for each in found[8:] if each.imag > 0]
    assert sorted(pairs, key=abs) == pytest.approx(expected, abs=1e-7)
    for power, rank in ((1, 14), (2, 10)):
        sizes = np.linalg.svd(np.linalg.matrix_power(model.A, power), compute_uv=False)
        assert sizes[rank - 1] > 1e-4 and sizes[rank] < 1e-6


def test_upright_with_a_soft_slider_is_unstable():
    """One of the five pairs is real; pushed to either side it goes to a tilted equilibrium."""
    made = balloon(10.0, 0.0, 0.0)
    pose = made.equilibrium(UPRIGHT)
    assert not pose.stable
    found = sorted(made.linearise([], [], initial=pose).eigenvalues, key=abs)[8:]
    expected = [3.86605777131, *(1j * each for each in (1.83257320727, 1.86013661928, 4.00291072275, 7.84451190909))]
    upper = sorted((each for each in found if each.imag > 1e-6 or each.real > 1e-6), key=abs)
    assert upper == pytest.approx(sorted(expected, key=abs), abs=1e-7)


def coordinate(name: str, absolute: Container[str]) -> str:
    """Returns the coordinate of a limb's joint."""
    return f"{name}-joint.{'translation' if name == 'slider' else 'rotation'}.q" if name in absolute else f"{name}.q"


@pytest.mark.parametrize("absolute", [("slider", "upper", "lower"), ("slider",), ("upper",)], ids="-".join)
def test_it_moves_as_bodies_on_joints(absolute):
    """Slider and pendulums with small moments of inertia, all or some of them bodies with absolute coordinates: accelerations to 1e-10, motion to
    1e-8, eigenvalues at rest to 1e-7."""
    made = [balloon(*SETS["A"], absolute=each, inertia=1e-3) for each in ((), absolute)]
    options = {"solver": "dop853", "rtol": 1e-12, "atol": 1e-12, "output_times": [0.0, 0.5, 1.0]}
    expected, found = (each.simulate(1.0, **options) for each in made)
    assert found.outcome.ending is Ending.COMPLETED
    for name in ("a", "alpha"):
        assert three(found, f"balloon.p2.{name}")[0] == pytest.approx(three(expected, f"balloon.p2.{name}")[0], abs=1e-10)
    assert three(found, "balloon.") == pytest.approx(three(expected, "balloon."), abs=1e-8)
    turned = (attitude_of(found, "balloon").inv() * attitude_of(expected, "balloon")).magnitude()
    assert turned == pytest.approx(np.zeros(3), abs=1e-8)
    for name in LIMBS:
        q = coordinate(name, absolute)
        assert found[f"{q}dd"][0] == pytest.approx(expected[f"{name}.qdd"][0], abs=1e-10)
        assert found[q] == pytest.approx(expected[f"{name}.q"], abs=1e-8)
        assert found[f"{q}d"] == pytest.approx(expected[f"{name}.qd"], abs=1e-8)
    modes = []
    for each in ((), absolute):
        upright = balloon(*SETS["A"], absolute=each, inertia=1e-3, start=(0.0, 0.0, 0.0))
        modes.append(sorted(upright.linearise([], [], initial=upright.equilibrium()).eigenvalues, key=lambda s: (abs(s), s.imag)))
    assert len(modes[0]) == len(modes[1]) == 18
    assert modes[1][8:] == pytest.approx(modes[0][8:], abs=1e-7)
    assert np.abs(modes[1][:8]).max() < 1e-5
