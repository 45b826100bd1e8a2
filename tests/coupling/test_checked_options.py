"""Options of runs that are the same again."""

import numpy as np
import pytest

from coupling import Index3
from coupling.checked_options import CheckedOptions
from coupling.errors import BuildError


def test_the_same_options_are_the_same_run():
    asked, interval = CheckedOptions(), 0.5
    first = asked.run(stop_time=2.0, output_interval=interval, evaluation="compiled")
    assert asked.run(stop_time=2.0, output_interval=interval, evaluation="compiled") is first
    assert first.times() is asked.run(stop_time=2.0, output_interval=interval, evaluation="compiled").times()


@pytest.mark.parametrize(
    ("name", "value", "other"),
    [
        ("rtol", 1e-8, 1e-6),
        ("evaluation", "tape", 1.0),
        ("solver", Index3(step_size=0.1), Index3(step_size=0.2)),
        ("outputs", ["a"], ["b"]),
        ("atol", 1, True),
    ],
)
def test_other_options_are_another_run_and_checked(name, value, other):
    """They are so even where 1 == True."""
    asked = CheckedOptions()
    asked.run(stop_time=2.0, **{name: value})
    if name in ("evaluation", "atol"):
        with pytest.raises(BuildError, match=f"{name} = .* is (refused|unknown)"):
            asked.run(stop_time=2.0, **{name: other})
    else:
        assert getattr(asked.run(stop_time=2.0, **{name: other}), name) == other


def test_a_list_that_was_changed_is_another_one():
    asked, outputs = CheckedOptions(), ["rod.theta"]
    first = asked.run(stop_time=2.0, outputs=outputs)
    assert asked.run(stop_time=2.0, outputs=["rod.theta"]) is first
    outputs.append("rod.omega")
    assert asked.run(stop_time=2.0, outputs=outputs).outputs == ["rod.theta", "rod.omega"]
    assert first.outputs == ["rod.theta"]


def test_what_can_change_unseen_is_checked_every_time():
    asked, times = CheckedOptions(), np.array([0.0, 1.0])
    asked.run(stop_time=2.0, output_times=times)
    times[1] = 3.0
    with pytest.raises(BuildError, match="output_times holds 3 s"):
        asked.run(stop_time=2.0, output_times=times)
