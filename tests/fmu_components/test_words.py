"""Everyday words lead to components, in searches, suggestions and the page."""

from __future__ import annotations

import re

import pytest

import jourdain
from coupling import System
from docs.programs.parts_page import PAGE, page
from fmu_components.catalogue import UnknownComponent, all_components, find
from fmu_components.words import WORDS, components_called
from tests.support.systems.systems import refusal


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("hinge", "planar.Revolute"),
        ("planar.Hinge", "planar.Revolute"),
        ("spatial.hinge", "spatial.Revolute"),
        ("Slider", "planar.Translational"),
        ("piston", "hydraulic.Cylinder"),
        ("gearbox", "mechanical1d.Gear"),
        ("pawl", "mechanical1d.OneWayClutch"),
        ("rotational ground", "mechanical1d.Fixed1D"),
        ("saturation", "signal.Limiter"),
        ("joint ball", "spatial.Spherical"),
        ("hinges", "planar.Revolute"),
        ("gearboxes", "mechanical1d.Gear"),
        ("bevel gear", "spatial.GearPair"),
        ("solenoid valve", "pneumatic.ProportionalValve53"),
        ("pulleys", "planar.PulleyRope"),
    ],
)
def test_a_word_leads_to_a_component(word: str, first: str) -> None:
    assert components_called(word)[0] == first
    assert f"there is no component '{word}'; did you mean '{first}'" in refusal(lambda: System().add("part", word))
    with pytest.raises(UnknownComponent, match=f"the nearest names are {first}"):
        find(word)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("planar.Beam8", "Beam(8)"),
        ("planar.WeldedBeam4", "WeldedBeam(4)"),
        ("spatial.Beam3", "SpatialBeam(3)"),
        ("spatial.WeldedFlexibleBody", "flexible_body(K, M, nodes, ports, root=...)"),
        ("flexible body", "flexible_body(K, M, nodes, ports)"),
        ("spatial.FlexibleBody", "flexible_body(K, M, nodes, ports)"),
        ("FEM", "flexible_body(K, M, nodes, ports)"),
    ],
)
def test_a_name_of_a_class_that_a_function_makes_leads_to_it(name: str, call: str) -> None:
    sentence = f"there is no component '{name}'; jourdain.{call} makes its class"
    assert sentence in refusal(lambda: System().add("part", name))
    with pytest.raises(UnknownComponent, match=f"^{re.escape(sentence)}$"):
        find(name)
    assert call.partition("(")[0] in jourdain.__all__


def test_a_word_that_nobody_uses_leads_nowhere() -> None:
    """An empty word leads nowhere either, nor does an inner part of a word."""
    assert [components_called(word) for word in ("warp", "", ".", "inge", "spatial.piston")] == [[]] * 5


def test_the_words_name_components_that_there_are() -> None:
    named = [name for components in WORDS.values() for name in components.split()]
    assert set(named) <= set(all_components())
    phrases = [phrase for said in WORDS for phrase in said.lower().split(", ")]
    assert len(phrases) == len(set(phrases))


def test_the_page_is_that_of_the_words() -> None:
    """``make pages`` writes it."""
    assert PAGE.read_text() == page()
