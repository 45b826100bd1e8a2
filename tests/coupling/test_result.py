"""Results of runs, and access to them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from coupling import Result, System
from coupling.outcome import Ending, Outcome
from coupling.record import Column, Record, Statistics
from tests.support import foreign
from tests.support.oracles.planar import DoublePendulum
from tests.support.systems.systems import pendulum, refusal, system_of


@pytest.fixture(scope="module")
def result() -> Result:
    """A pendulum that falls for a second."""
    return pendulum().simulate(1.0)


def test_values_by_name(result: Result) -> None:
    """They are arrays beside the time, which has a name as well."""
    assert len(result) == len(result.time) == len(result["rod.theta"]) == 501 and list(result) == list(result.names)
    assert result.names[0] == "ground.p1.x" and "rod.theta" in result and "rod.thta" not in result
    assert (result["time"] == result.time).all()
    assert result["rod.theta"][0] == 0 and result["rod.theta"][-1] < -1
    assert (result.units["rod.theta"], result.units["rod.p1.ax"], result.units["pin.lambda[1]"]) == ("rad", "m/s2", "N")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("rod.thta", "'rod.thta' was not recorded; did you mean 'rod.theta', 'rod.p1.theta' or 'ground.p1.theta'?"),
        ("theta", "'theta' was not recorded; did you mean 'rod.theta', 'ground.p1.theta' or 'rod.p1.theta'?"),
        (
            "rod.m",
            "'rod.m' exists, but was not recorded; name it in the outputs of simulate, such as outputs=['*', 'rod.m']",
        ),
        ("pressure", "'pressure' was not recorded; result.names lists the recorded names, and the option 'outputs' of simulate chooses it"),
        (3, "3 was not recorded; give one name, such as 'rod.theta'"),
        (["rod.x", "rod.y"], "['rod.x', 'rod.y'] was not recorded; give one name, such as 'rod.theta'"),
    ],
)
def test_a_name_that_was_not_recorded(result: Result, name: object, sentence: str) -> None:
    """A KeyError whose text is a plain sentence with the nearest names."""
    assert refusal(lambda: result[name], KeyError) == sentence  # type: ignore[index]


def test_its_representation_says_what_it_holds(result: Result) -> None:
    """The system, how much, and how it ended; and so does an empty one."""
    assert repr(result) == f"Result('pendulum': {len(result.names)} variables, 0 to 1 s, 501 rows; completed at t = 1 s)"
    empty = Result(
        Record("s", (Column("it.a", "a", ""),), np.zeros((0, 2)), result.statistics), Outcome(Ending.FMU_FAILED, "stopped at t = 0 s")
    )
    assert repr(empty) == "Result('s': 1 variables, nothing, 0 rows; stopped at t = 0 s)"


def test_summary() -> None:
    """One line for the outcome, one for each warning, one for the costs."""
    outcome = Outcome(Ending.COMPLETED, "completed at t = 1 s", ["a is redundant"])
    costs = Statistics(120, 17, 2, 40, 30, 3, 1, 2, 0, 0.25, 2.0, 1.5)
    result = Result(Record("s", (), np.zeros((1, 1)), costs), outcome)
    assert costs.seconds_in_master == 0.5
    assert result.summary().split("\n") == [
        "completed at t = 1 s",
        "Warning: a is redundant",
        "17 steps (2 rejected), 120 evaluations, 3 events; 2 s: 1.5 s in FMUs, 0.5 s in the master",
    ]


def test_statistics_count(result: Result) -> None:
    """They count the work of a run without events, and its time."""
    s = result.statistics
    assert 0 < s.steps < s.evaluations and s.newton_iterations >= s.factorisations > 0
    assert (s.events, s.state_events, s.time_events, s.step_events) == (0, 0, 0, 0)
    assert 0 < s.seconds_running < 50 and 0 < s.seconds_preparing < 50
    assert 0 < s.seconds_in_fmus <= s.seconds_running


# -- files -------------------------------------------------------------------------------------------------------------


def test_csv_keeps_every_digit(result: Result, tmp_path: Path) -> None:
    """The values that are read back are those written, to the last bit; the head has names and units."""
    path = tmp_path / "run.csv"
    result.to_csv(path)
    with path.open(newline="") as file:
        head, *rows = list(csv.reader(file))
    assert head[0] == "time [s]" and "rod.theta [rad]" in head and "pin.lambda[1] [N]" in head
    assert (np.array(rows, dtype=float) == np.column_stack([result.time, result.values])).all()


def test_csv_of_odd_values(tmp_path: Path) -> None:
    """Values that are not finite, denormal or without a unit come back as well."""
    rows = np.array([[0.0, np.nan, 5e-324], [1 / 3, -np.inf, 1.7976931348623157e308]])
    columns = Column("it.a,b", "a,b", ""), Column("it.c", "c", "m")
    result = Result(Record("s", columns, rows, Statistics(*[0] * 9, 0.0, 0.0, 0.0)), Outcome(Ending.COMPLETED, ""))
    result.to_csv(str(tmp_path / "odd.csv"))
    with (tmp_path / "odd.csv").open(newline="") as file:
        head, *read = list(csv.reader(file))
    assert head == ["time [s]", "it.a,b", "it.c [m]"]
    assert np.array_equal(np.array(read, dtype=float), rows, equal_nan=True)


def test_csv_where_nothing_can_be_written(result: Result, tmp_path: Path) -> None:
    """The path is named."""
    target = tmp_path / "missing" / "run.csv"
    assert refusal(lambda: result.to_csv(target), OSError) == (
        f"the result cannot be written to '{target}': No such file or directory; choose another path"
    )


def test_dataframe(result: Result) -> None:
    """The time is the index; columns have their names."""
    frame = result.to_dataframe()
    assert frame.index.name == "time" and list(frame.columns) == result.names
    assert (frame["rod.theta"].to_numpy() == result["rod.theta"]).all() and (frame.index == result.time).all()


def test_dataframe_without_pandas(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an option, and says so."""
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    assert refusal(result.to_dataframe, ImportError) == "to_dataframe needs pandas: pip install pandas"


# -- what is made of the values ----------------------------------------------------------------------------------------


def test_energy_of_a_pendulum_is_kept() -> None:
    """The sum over all bodies is that of the oracle."""
    oracle = DoublePendulum(angles=(0.3, -0.4), speeds=(1.0, 2.0))
    result = system_of(oracle).simulate(1.0, output_times=[0.0, 0.5, 1.0])
    assert np.allclose(result.energy, oracle.energy([0.0, 0.5, 1.0]), rtol=1e-6)


def test_energy_that_was_not_recorded() -> None:
    """The remedy names what to record."""
    bare = pendulum().simulate(0.0, outputs="rod.x")
    assert refusal(lambda: bare.energy, KeyError) == "no energy was recorded; record 'energy.kinetic' and 'energy.potential' of the bodies"


def test_violation_is_the_greatest_of_each_level() -> None:
    """Two pins that are off by 0.3 m and by 0.2 m, at rest."""
    system = pendulum(y=0.3)
    system.add("hinge", "planar.Revolute")
    system.add("post", "planar.Fixed", {"p1.rx": 3.0})
    system.add("arm", "planar.Body1", {"x": 2.8})
    system.connect("post.p1", "hinge.M")
    system.connect("arm.p1", "hinge.N")
    violation = system.simulate(0.0, initial="relax").violation
    assert {level: values[0] for level, values in violation.items()} == pytest.approx({"position": 0.3, "velocity": 0, "acceleration": 7.5})
    assert refusal(lambda: violation["pos"], KeyError) == (
        "there is no violation at level 'pos'; there are 'position', 'velocity', 'acceleration'"
    )
    bare = pendulum().simulate(0.0, outputs="rod.x")
    assert bare.violation == {}
    assert refusal(lambda: bare.violation["position"], KeyError) == (
        "there is no violation at level 'position'; no constraint was recorded; name a joint in the outputs of simulate, such as outputs=['pin']"
    )
    assert refusal(lambda: bare.created_energy["pin"], KeyError) == "there is no created energy of 'pin'; only co-simulations record any"


def test_two_rows_at_an_event() -> None:
    """Before and behind it; the Boolean and the discrete value change between them, and the continuous output does not."""
    system = System()
    system.add("saw", foreign.two_events())
    result = system.simulate(2.0, output_times=[0.0, 2.0])
    assert list(result.time) == pytest.approx([0, 0.35, 0.35, 0.675, 0.675, 1.175, 1.175, 1.675, 1.675, 2])
    assert list(result["saw.fast"]) == [0, 0] + [1] * 8
    assert list(result["saw.level"]) == [0, 0, 0, 0, 1, 1, 2, 2, 3, 3]
    assert list(result["saw.x"]) == pytest.approx([0, 0.35, 0.35, 1, 0, 1, 0, 1, 0, 0.65], abs=1e-12)
    assert list(result["saw.y"][1:-1:2]) == pytest.approx(list(result["saw.y"][2:-1:2]))
    assert (result.statistics.state_events, result.statistics.time_events) == (3, 1)


# -- members and times -------------------------------------------------------------------------------------------------


def test_an_instance_is_a_mapping_of_what_was_recorded(result: Result) -> None:
    """The keys are the names within it; so is a port. It is read-only, and a wrong name gets its sentence."""
    rod = result["rod"]
    assert list(rod) == [name.removeprefix("rod.") for name in result.names if name.startswith("rod.")] and len(rod) == len(list(rod))
    assert rod["theta"] is not None and (rod["theta"] == result["rod.theta"]).all() and "theta" in rod and "m" not in rod
    assert sorted(result["rod.p1"])[:3] == ["alpha", "ax", "ay"] and (rod["p1"]["x"] == result["rod.p1.x"]).all()
    assert repr(result["rod.energy"]) == f"'rod.energy' of {result!r}: 'kinetic', 'potential'"
    with pytest.raises(TypeError):
        rod["theta"] = rod["x"]
    assert refusal(lambda: rod["thta"], KeyError) == refusal(lambda: result["rod.thta"], KeyError)
    assert refusal(lambda: rod[3], KeyError).startswith("3 was not recorded; ")
    bare = pendulum().simulate(0.0, outputs=["rod.x"])
    assert refusal(lambda: bare["pin"], KeyError) == (
        "nothing of 'pin' was recorded; name it in the outputs of simulate, such as outputs=['pin']"
    )


def test_values_at_a_time() -> None:
    """They are those of a row at this time, if one exists. Between rows they are linear, but discrete variables stay; at an event the side
    counts."""
    system = System()
    system.add("saw", foreign.two_events())
    result = system.simulate(2.0, output_times=[0.0, 1.0, 2.0])
    before, after, between = result.at(1.175, "before"), result.at(1.175), result.at(1.5)
    assert (before["saw.x"], after["saw.x"]) == pytest.approx((1, 0), abs=1e-12) and (before["saw.level"], after["saw.level"]) == (1, 2)
    assert between["saw.x"] == pytest.approx(0.65) and between["saw.level"] == 2 and result.at(1.5, "before") == between
    assert result.at(2)["saw.x"] == result["saw.x"][-1] and result.at(0.0, side="before")["saw.x"] == 0
    assert refusal(lambda: after["saw.z"], KeyError).startswith("there is no recorded value 'saw.z'; there are 'saw.level', ")


@pytest.mark.parametrize(
    ("t", "side", "sentence"),
    [
        (1.5, "after", "t = 1.5 s is refused: the result holds from 0 to 1 s; completed at t = 1 s"),
        (-1, "after", "t = -1 s is refused: the result holds from 0 to 1 s; completed at t = 1 s"),
        (float("nan"), "after", "t = nan is refused: give a time in seconds, or a list or array of times"),
        (True, "after", "t = True is refused: give a time in seconds, or a list or array of times"),
        ("0.5", "after", "t = '0.5' is refused: give a time in seconds, or a list or array of times"),
        ([[0.5], [0.1, 0.2]], "after", "t = [[0.5], [0.1, 0.2]] is refused: give a time in seconds, or a list or array of times"),
        ([0.5, 1.5, 2.0], "after", "t = 1.5 s is refused: the result holds from 0 to 1 s; completed at t = 1 s"),
        (0.5, "left", "side = 'left' is unknown; choose 'before' or 'after' an event"),
    ],
)
def test_times_that_there_are_not(result: Result, t: object, side: str, sentence: str) -> None:
    assert refusal(lambda: result.at(t, side)) == sentence  # type: ignore[arg-type]  # what is tested


def test_parameters_and_options_are_those_of_the_run() -> None:
    """A value of one run counts over that of the definition, and that over the FMU's own; neither mapping can be written to."""
    run = pendulum().simulate(0.1, start_values={"rod.I": 0.5}, rtol=1e-6)
    assert (run.parameters["rod.I"], run.parameters["rod.p1.rx"], run.parameters["rod.gy"]) == (0.5, -0.5, -9.81)
    assert (run.options["rtol"], run.options["stop_time"], run.options["solver"]) == (1e-6, 0.1, "dopri5")
    for mapping in (run.parameters, run.options):
        with pytest.raises(TypeError):
            mapping["rod.I"] = 1.0  # type: ignore[index]  # what is tested


def test_units_go_along(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go to pandas as an attribute of the frame, and to xarray as attributes of variables, beside their descriptions."""
    assert result.to_dataframe().attrs["units"] == {"time": "s", **result.units}
    dataset = result.to_xarray()
    assert (dataset["rod.theta"].to_numpy() == result["rod.theta"]).all() and (dataset["time"] == result.time).all()
    assert dataset["rod.theta"].attrs == {"units": "rad", "long_name": "absolute angle of the body"}
    assert dataset["time"].attrs == {"units": "s"} and dataset.attrs == {"title": "pendulum"}
    monkeypatch.setitem(__import__("sys").modules, "xarray", None)
    assert refusal(result.to_xarray, ImportError) == "to_xarray needs xarray: pip install xarray"
