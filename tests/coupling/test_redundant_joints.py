"""More constraints than freedoms: shared loads where they agree, names where they do not."""

import numpy as np
import pytest

from coupling import Ending, StartError, System


def plank(second: str = "planar.Weld") -> System:
    """A body of 1 kg, welded to the ground at both ends, 1 m to either side."""
    system = System("plank")
    system.add("plank", "planar.Body2", {"p1.rx": -1.0, "p2.rx": 1.0})
    for joint, port, x, component in (("left", "p1", -1.0, "planar.Weld"), ("right", "p2", 1.0, second)):
        system.add(f"{joint} post", "planar.Fixed", {"p1.rx": x})
        system.add(joint, component)
        system.connect(f"{joint} post.p1", f"{joint}.M")
        system.connect(f"plank.{port}", f"{joint}.N")
    return system


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
def test_redundant_constraints_share_the_load_by_least_multipliers(solver):
    """By symmetry each weld carries half of the weight; a warning counts them and names both joints."""
    result = plank().simulate(1.0, solver=solver)
    assert result.outcome.completed
    (warning,) = result.outcome.warnings
    assert warning.startswith("3 constraints are redundant") and "'left'" in warning and "'right'" in warning
    carried = result["left.N.Fy"] + result["right.N.Fy"]
    assert np.allclose(carried, 9.81, rtol=1e-9)
    multipliers = np.array([result[f"{joint}.lambda[{k}]"] for joint in ("left", "right") for k in (1, 2, 3)])
    # All solutions: the vertical forces sum up to the weight, and the moment of their difference is taken by the two torques.
    difference, torques = result["left.N.Fy"] - result["right.N.Fy"], result["left.N.Cz"] + result["right.N.Cz"]
    assert np.abs(torques - difference).max() < 1e-8
    assert np.abs(difference).max() < 1e-8, multipliers[:, 0]
    assert max(np.abs(result["plank.x"]).max(), np.abs(result["plank.y"]).max()) < 1e-9


def test_constraints_that_contradict_each_other_end_the_run_by_name():
    """Two rods that turn one shaft at different speeds: the equations cannot hold together."""
    system = System("shaft")
    system.add("ground", "planar.Fixed")
    system.add("wheel", "planar.Body1")
    for name, speed in (("slow", 1.0), ("fast", 2.0)):
        system.add(name, "planar.RelativeVelocity")
        system.connect("ground.p1", f"{name}.M")
        system.connect("wheel.p1", f"{name}.N")
        system.drive(f"{name}.velocity", lambda t, speed=speed: speed * t)
        system.drive(f"{name}.velocity.rate", speed)
    try:
        text = str((result := system.simulate(1.0)).outcome)
        assert result.outcome.ending is Ending.CONTRADICTORY
    except StartError as error:
        text = str(error)
    assert "contradict" in text and ("'slow'" in text or "slow.lambda[1]" in text) and ("'fast'" in text or "fast.lambda[1]" in text)
    assert "singular" not in text.lower() and "matrix" not in text.lower()
