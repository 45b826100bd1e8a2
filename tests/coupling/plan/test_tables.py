"""Tables among the start values of a system."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import BuildError, FmuError, System
from coupling.sweep import sweep
from fmu_components.catalogue import find

POINTS = [[0.0, 2.0], [1.0, 5.0]]


def system(**values):
    made = System("curves")
    made.add("curve", "signal.Curve", {"u": 0.5, **values})
    return made


def test_a_table_is_a_start_value(tmp_path):
    """Numbers, a file, and the class that has the table give the same."""
    (tmp_path / "curve.csv").write_text("0 1\n2 5\n")
    by_class = System("curves")
    by_class.add("curve", find("signal.Curve").with_tables(curve=POINTS), {"u": 0.5})
    for each in (system(curve=POINTS), system(curve=str(tmp_path / "curve.csv")), system(curve=np.transpose(POINTS)), by_class):
        result = each.simulate(0.1)
        assert result["curve.y"][-1] == 2.0
        assert each.instances["curve"].model_name == "signal.Curve"


def test_elements_vary_in_sweeps():
    """An array is set as a whole, or element by element."""
    assert system(**{"curve.x": [0.0, 4.0], "curve.y": [1.0, 5.0]}).simulate(0.1)["curve.y"][-1] == 1.5
    table = sweep(system(), {"curve.curve.y[2]": [1.0, 3.0]}, stop_time=0.1, measure={"y": lambda run: run["curve.y"][-1]})
    assert list(table["y"]) == [0.5, 1.5]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"curve": "none.csv"},
            "'curve' cannot be added: the table 'curve' of signal.Curve: the file 'none.csv' cannot be read: No such file",
        ),
        ({"curve": [[0, 1], [1]]}, "'curve' cannot be added: the table 'curve' of signal.Curve has 1 number where 2 belong"),
        ({"curve": [[1, 0], [1, 2]]}, r"'curve' of signal.Curve does not increase: x\[2\] = 0 follows 1; sort it"),
        ({"shape": POINTS}, r"has no variable 'shape' to start from"),
    ],
)
def test_wrong_tables_are_refused(values, sentence):
    with pytest.raises(BuildError, match=sentence):
        system(**values)


def test_tables_of_no_component_are_start_values(tmp_path):
    """A path of an FMU takes arrays by their names alone."""
    with pytest.raises(FmuError, match="'curve' cannot be added: there is no file"):
        System("none").add("curve", str(tmp_path / "none.fmu"), {"curve": POINTS})
