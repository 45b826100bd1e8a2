"""Components of one declaration that differ in a number."""

import pickle

import pytest

from fmu_components.catalogue import find


@pytest.mark.parametrize(
    ("name", "field", "numbers", "title"),
    [
        ("planar.Body", "points", (1, 2, 3, 4, 5), "Rigid body with {0} connecting point{1}."),
        ("spatial.Body", "points", (1, 2, 3, 4, 5), "Rigid body in space with {0} connecting point{1}."),
        ("planar.MasslessLink", "points", (1, 2, 3), "Massless link with {0} connecting point{1}."),
        ("planar.RevoluteBody", "children", (3, 4, 5), "Body that turns on its parent, with {0} children."),
        ("spatial.WeldedBody", "children", (3, 4, 5), "Body in space that is fixed to its parent, with {0} children."),
    ],
)
def test_each_has_its_number_title_and_arms(name: str, field: str, numbers: tuple[int, ...], title: str) -> None:
    """Each is found by its name, also in another process."""
    for number in numbers:
        member = find(f"{name}{number}")
        assert getattr(member, field) == number and pickle.loads(pickle.dumps(member)) is member
        words = ("zero", "one", "two", "three", "four", "five")[number], "s" * (number > 1)
        assert (member.__doc__ or "").splitlines()[0] == title.format(*words)
        if field == "points":
            ends = [shape for shape in member.drawing.shapes if "radius=0.14" in repr(shape)]
            assert len(ends) == number
        else:
            assert f"The block is a {name} with the points C1 to C{number}." in (member.__doc__ or "")
