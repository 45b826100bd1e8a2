"""The same double pendulum in the plane z = 0: by planar FMUs, by spatial ones, and mixed."""

from __future__ import annotations

import numpy as np
import pytest

from jourdain import BuildError, System, orientation

ANGLES, RATES = (-0.4, 0.7), (1.0, -2.0)


def double_pendulum(first, second):
    """Two rods on hinges along z; the library of each rod is given, and gravity acts along -y."""
    system = System("double pendulum")
    ends, place, speed = {"p1.rx": -0.5}, np.zeros(2), np.zeros(2)
    for name, library, angle, rate in zip(("first", "second"), (first, second), ANGLES, RATES, strict=True):
        along = np.array((np.cos(angle), np.sin(angle)))
        across = rate * np.array((-along[1], along[0]))
        centre, velocity = place + along / 2, speed + across / 2
        values = {"m": 1.3, **dict(zip(("x", "y", "vx", "vy"), map(float, (*centre, *velocity)), strict=True))}
        if library == "planar":
            values |= {"I": 0.2, "theta": angle, "omega": rate}
        else:
            values |= {"Izz": 0.2, "gy": -9.81, "gz": 0.0, "omegaz": rate, **orientation((0, 0, 1), angle)}
        values |= ends | ({"p2.rx": 0.5} if name == "first" else {})
        system.add(name, f"{library}.Body{2 if name == 'first' else 1}", values)
        place, speed = place + along, speed + across
    system.add("ground", f"{first}.Fixed")
    system.add("shoulder", f"{first}.Revolute")
    system.add("elbow", f"{second}.Revolute")
    system.connect("ground.p1", "shoulder.M")
    system.connect("shoulder.N", "first.p1")
    if first == second:
        system.connect("first.p2", "elbow.M")
    else:
        system.add("frame", "spatial.PlanarFrame")
        system.connect("first.p2", "frame.planar")
        system.connect("frame.spatial", "elbow.M")
    system.connect("elbow.N", "second.p1")
    return system


def test_planar_spatial_and_mixed_are_equal():
    """Places of both mass centres over 2 s, to 1e-10; the mixed one is redundant in nothing."""
    times = np.linspace(0, 2, 9)
    found = {}
    for libraries in (("planar", "planar"), ("spatial", "spatial"), ("planar", "spatial")):
        result = double_pendulum(*libraries).simulate(2.0, solver="dop853", rtol=1e-13, output_times=times)
        assert not result.outcome.warnings
        found[libraries] = np.stack([result[f"{body}.{axis}"] for body in ("first", "second") for axis in "xy"])
    expected = found["planar", "planar"]
    assert np.ptp(expected[2]) > 0.5
    for each in found.values():
        assert np.abs(each - expected).max() < 1e-10


def test_a_turned_plane_changes_nothing_in_the_plane():
    """The second rod hangs in space, in a plane turned by 0.6 rad about x, with its gravity turned as well."""
    angle = 0.6
    system = double_pendulum("planar", "spatial")
    upright, across = np.cos(angle), np.sin(angle)
    turned = System("turned")
    for name, values in system.start_values.items():
        start = dict(values)
        if name == "second":
            for y, z in (("y", "z"), ("vy", "vz"), ("gy", "gz")):
                start |= {y: start[y] * upright, z: start[y] * across}
            start |= {"omegay": -start["omegaz"] * across, "omegaz": start["omegaz"] * upright}
            c, s = np.cos(angle / 2), np.sin(angle / 2)  # the turn about x after that about z
            start |= {"q0": c * start["q0"], "q1": s * start["q0"], "q2": -s * start["q3"], "q3": c * start["q3"]}
        if name == "frame":
            start["angle"] = angle
        turned.add(name, system.instances[name], start)
    for a, b in system.connections:
        turned.connect(a, b)
    flat, run = (each.simulate(1.0, solver="dop853", rtol=1e-12, output_times=[1.0]) for each in (system, turned))
    assert [run[f"first.{axis}"][-1] for axis in "xy"] == pytest.approx([flat[f"first.{axis}"][-1] for axis in "xy"], abs=1e-9)
    assert [run[f"second.{axis}"][-1] for axis in "xyz"] == pytest.approx(
        [flat["second.x"][-1], flat["second.y"][-1] * upright, flat["second.y"][-1] * across], abs=1e-9
    )


def test_a_planar_port_does_not_fit_a_spatial_one():
    """The sentence names both ends and their kinds."""
    system = System("mismatch")
    system.add("ground", "planar.Fixed")
    system.add("pin", "spatial.Spherical")
    with pytest.raises(BuildError) as refused:
        system.connect("ground.p1", "pin.M")
        system.build()
    sentence = str(refused.value)
    assert sentence.startswith("'ground.p1' (planar: gives x, y, theta") and "'pin.M' (spatial: gives Fx, Fy, Fz, Cx, Cy, Cz;" in sentence
    assert sentence.endswith("are ports of different kinds; connect ports of the same kind")
