"""Results for Modelica tools: two readers that are not ours find names, units, descriptions, parameters and trajectories."""

from __future__ import annotations

from pathlib import Path

import DyMat
import numpy as np
import pytest
import scipy.io

from coupling import Result, System
from tests.support import foreign
from tests.support.systems.systems import pendulum, refusal


@pytest.fixture(scope="module")
def result() -> Result:
    return pendulum().simulate(0.5, start_values={"rod.m": 2.5}, output_interval=0.05)


@pytest.fixture
def path(result: Result, tmp_path: Path) -> Path:
    result.to_mat(tmp_path / "run.mat")
    return tmp_path / "run.mat"


def test_a_reader_of_modelica_results_finds_everything(result: Result, path: Path) -> None:
    """DyMat: every trajectory and every parameter, with its description and unit, and the time beside it."""
    read = DyMat.DyMatFile(str(path))
    assert set(read.names()) == {*result.names, *result.parameters}
    assert read._absc == ("time", "Simulation time [s]")
    variables = pendulum().instances["rod"].variables
    for name in result.names:
        assert (read.data(name) == result[name]).all() and (read.abscissa(name, valuesOnly=True) == result.time).all()
        assert read.description(name).endswith(f"[{result.units[name]}]") or not result.units[name]
    for name, value in result.parameters.items():
        assert list(read.data(name)) == [value, value]
    assert result.parameters["rod.m"] == 2.5
    assert read.description("rod.theta") == f"{variables['theta'].description} [rad]"
    assert read.description("rod.m") == f"{variables['m'].description} [kg]"


def test_the_matrices_are_those_of_modelica_tools(result: Result, path: Path) -> None:
    """SciPy: order and shape as in the files of Dymola, which OpenModelica's reader asks for in this order."""
    assert [name for name, _, _ in scipy.io.whosmat(path)] == ["Aclass", "name", "description", "dataInfo", "data_1", "data_2"]
    read = scipy.io.loadmat(path)
    assert [each.rstrip() for each in read["Aclass"]] == ["Atrajectory", "1.1", "", "binTrans"] and len(read["Aclass"][0]) == 11
    info, data = read["dataInfo"], read["data_2"]
    assert info.shape == (4, 1 + len(result.parameters) + len(result.names)) and info.dtype == np.int32
    assert list(info[:, 0]) == [0, 1, 0, -1]
    assert {tuple(each) for each in info[2:, 1:].T} == {(0, 0), (0, -1)} and set(info[0, 1:]) == {1, 2}
    assert read["data_1"].shape == (1 + len(result.parameters), 2) and list(read["data_1"][0]) == [0.0, 0.5]
    assert (data[0] == result.time).all() and data.dtype == np.float64


def test_equal_columns_share_a_row(result: Result, path: Path) -> None:
    """The pendulum has fewer courses than names; none of them is taken for the time, which readers know by its row."""
    read = scipy.io.loadmat(path)
    different = {result[name].tobytes() for name in result.names}
    assert read["data_2"].shape == (1 + len(different), len(result)) and len(different) < len(result.names)
    assert 1 not in read["dataInfo"][1, 1:]


def test_events_have_two_rows_and_texts_their_bytes(tmp_path: Path) -> None:
    """Discrete variables jump at one time, as OMEdit draws them; a result without rows is a file as well."""
    system = System()
    system.add("saw", foreign.two_events())
    result = system.simulate(2.0, output_times=[0.0, 2.0])
    result.to_mat(tmp_path / "saw.mat")
    read = DyMat.DyMatFile(str(tmp_path / "saw.mat"))
    time = read.abscissa("saw.level", valuesOnly=True)
    assert (read.data("saw.level") == result["saw.level"]).all() and (np.diff(time) == 0).sum() == 4


def test_where_nothing_can_be_written(result: Result, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "run.mat"
    assert refusal(lambda: result.to_mat(target), OSError) == (
        f"the result cannot be written to '{target}': No such file or directory; choose another path"
    )
    assert refusal(lambda: result.to_mat(3), TypeError) == "3 is no path; give that of the file to be written, such as 'result.mat'"  # type: ignore[arg-type]  # what is tested
