"""Mechanisms and machines do what their oracles say, to the oracles' tolerances, by the FMUs, by the tape of their equations and by compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from coupling import Result, System
from coupling.live import fused
from tests.support.fused.ways import WAYS
from tests.whole import test_blocks as blocks
from tests.whole import test_mechanisms as planar
from tests.whole import test_published_planar as published
from tests.whole import test_singular_poses as singular
from tests.whole import test_switched_drives as drives
from tests.whole import test_switched_oracles as switched
from tests.whole.spatial import test_mechanisms as spatial
from tests.whole.spatial import test_redundancy as redundancy
from tests.whole.spatial import test_tops as tops

ALL_WAYS = {"fmus": fused.BY_INSTANCES, **WAYS}
WITHOUT_GRAPH = ("bearing", "pendulum", "drawer")
"""First words of names: their friction follows from multipliers in another way than in proportion."""

MECHANISMS: dict[str, Callable[[], None]] = {
    **{
        f"{name}, {stabilisation}": partial(planar.test_states_are_those_of_the_reference_solution, oracle, "dop853", stabilisation)
        for name, oracle in planar.ORACLES.items()
        for stabilisation in planar.STABILISATIONS
    },
    **{
        name: partial(switched.test_machines_switch_when_their_closed_forms_say_so, name, "dop853")
        for name in switched.CASES
        if name.split()[0] not in WITHOUT_GRAPH
    },
    "clutches in a row": drives.test_clutches_in_a_row_with_pressures_that_change,
    "a collision": switched.test_bodies_that_fly_free_keep_their_momentum_through_an_impact_with_friction,
    "an ideal wheel": published.test_an_ideal_wheel_on_an_arm,
    "two rods": spatial.test_two_rods_move_as_the_reference,
    "a slider-crank in space": spatial.test_the_slider_crank_in_space_moves_as_the_reference,
    "a rolling disc": spatial.test_a_rolling_disc_moves_as_the_reference,
    "Chaplygin's sphere": spatial.test_chaplygins_sphere_rolls_as_the_reference,
    "a stiff governor": spatial.test_a_stiff_governor_moves_as_the_reference,
    "a symmetric rotor": tops.test_a_symmetric_rotor_moves_as_its_closed_form,
    "a heavy top": tops.test_the_heavy_top_moves_as_the_reference,
    "a loop of blocks": partial(blocks.test_a_loop_closed_between_blocks, "projection"),
    # with their warnings
    "Bricard": partial(spatial.test_bricards_mechanism_moves_as_the_reference, 2.0),
    "four-bars through singular poses": partial(singular.test_four_bars_in_a_row, 2, "dop853", 1e-6),
    "one coupler on three rockers": partial(singular.test_one_coupler_on_three_rockers, "dop853", 1e-8),
    "a start in a singular pose": partial(singular.test_a_start_in_the_singular_pose, 3, "dop853", 1e-8),
    "a redundant loop of blocks": partial(blocks.test_a_redundant_loop_closed_between_blocks, "projection"),
    "a planar loop in space": redundancy.test_with_the_replacement_the_loop_moves_alike,
}
QUICK = ("pendulum, projection", "freewheel")


@pytest.fixture(params=ALL_WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All runs take it, and say so."""
    plain, said = System.simulate, list[str]()

    def simulate(self: System, *given: object, **options: object) -> Result:
        result = plain(self, *given, **{"evaluation": request.param, **options})  # type: ignore[arg-type]  # of any type
        said.append(result.statistics.evaluated)
        return result

    monkeypatch.setattr(System, "simulate", simulate)
    yield
    assert set(said) == {ALL_WAYS[request.param]}


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MECHANISMS])
@pytest.mark.usefixtures("way")
def test_each_way_does_as_the_oracle_says(name: str) -> None:
    MECHANISMS[name]()
