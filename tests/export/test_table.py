"""The table's Jacobian holds every slope that is anywhere other than zero."""

from __future__ import annotations

import pytest
from sympy import Max, Piecewise

from fmu_components.component import Component
from tables import table_of


class Gates(Component):
    """Slopes that are zero over half of all inputs, or while a relation is false."""

    def declare(self) -> None:
        u = self.input("u", 0.0, "", "signal")
        w = self.input("w", 0.0, "", "signal")
        gates = [self.relation(f"gate{k}", w - k, "a gate is open") for k in range(3)]
        half = self.output("half", Max(-u, 0), "", "negative part")
        self.output("behind", half * w, "", "a product with it")
        self.output("locked", Piecewise((u, gates[0] & gates[1] & gates[2]), (0, True)), "", "u behind three gates")
        self.output("cancelled", (u + w) ** 2 - u**2 - 2 * u * w - w**2, "", "zero, which is not seen at once")


@pytest.mark.parametrize(("unknown", "knowns"), [("half", "u"), ("behind", "uw"), ("locked", "u"), ("cancelled", "")])
def test_slopes_of_one_branch_are_kept(unknown, knowns):
    """A slope that is zero in one branch stands in the Jacobian, one whose terms cancel everywhere does not."""
    table = table_of(Gates)
    found = {table.variables[known].name for row, known in table.jacobian if table.variables[row].name == unknown}
    assert found == set(knowns)
