"""The page of all components, which the build of the site makes: each component, and each link."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from docs.site.catalogue import ICONS, catalogue_page, icons
from docs.site.components import declarations, libraries
from docs.site.sources import ROOT, on_the_site
from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role

# One worker: the page takes all declarations, and is made once.
pytestmark = pytest.mark.xdist_group("catalogue page")


@pytest.fixture(scope="module")
def page() -> str:
    return catalogue_page()


@pytest.fixture(scope="module")
def sections(page: str) -> dict[str, str]:
    """The text below each component's heading."""
    _, *parts = re.split(r"^### (.+)$", page, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_each_component_is_shown(sections: dict[str, str]) -> None:
    """A section has title, icon, first paragraph, every port with its kind and side, and each parameter of the component's own."""
    missing = []
    for declared in map(declaration, all_components().values()):
        parameters = [v.name for v in declared.with_role(Role.PARAMETER) if "." not in v.name and "[" not in v.name]
        shown = [
            declared.title.replace("*", r"\*"),
            f"{ICONS}/{declared.name}.svg",
            *(f"| `{port.name}` | {port.kind.name} | {port.side.value} |" for port in declared.ports),
            *(f"| `{name}` |" for name in parameters),
        ]
        missing += [(declared.name, text) for text in shown if text not in sections[declared.name]]
    assert missing == []


def test_what_all_joints_have_is_not_repeated(sections: dict[str, str]) -> None:
    """Parameters of stabilisation and compliance stand in the introduction, not with every joint."""
    assert not [name for name, text in sections.items() if "baumgarte" in text or "compliant" in text]


def test_numbered_parameters_share_a_row(sections: dict[str, str]) -> None:
    """The coefficients of a series are one row, from the first to the last, with k for the number."""
    assert "| `cos[1]` … `cos[8]` | 0 | m | coefficient of cos(k phi) |" in sections["planar.CamFollower"]


def test_a_chapter_begins_with_the_docstring_of_its_folder(page: str) -> None:
    """The text below its first line follows the heading; a folder without such text has the heading alone."""
    assert re.search(
        r"^## electrical\n\nAn electrical port is a pair of pins whose second is the common return\. .*\n\n### electrical\.Battery$",
        page,
        re.M,
    )
    assert re.search(r"\n## mechanical1d\n\n### mechanical1d\.\w+\n", page)


def test_links_lead_to_headings(page: str) -> None:
    """Every entry of the contents is the anchor of a heading."""
    anchors = {re.sub(r"[^\w-]", "", heading.lower()) for heading in re.findall(r"^#+ (.+)$", page, flags=re.MULTILINE)}
    links = set(re.findall(r"\(#(.+?)\)", page))
    assert links and links <= anchors


def test_links_stay_on_the_site(page: str) -> None:
    """The only links to other pages lead to the reference of each component and to the theory, and the site has all of them."""
    pages = {f"components/{name}.md" for name in declarations()} | {"docs/theory.md"}
    targets = re.findall(r"(?<!!)\[[^\]]*\]\(([^)#]+)\)", page)
    assert {f"docs/{each}".replace("docs/../", "") for each in targets} == pages
    assert on_the_site(page, "docs/components.md", pages) == page


def test_pictures_are_written_beside_the_page(page: str) -> None:
    """Each picture is an icon that the build draws, or a file of the sources."""
    shown = set(re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page))
    kept = {f"pictures/{path.name}" for path in (ROOT / "docs" / "pictures").iterdir()}
    drawn = {f"{ICONS}/{name}" for name in icons()}
    assert drawn <= shown <= drawn | kept


def test_icons_are_drawings() -> None:
    """Each icon is well-formed and has the name of its component and shapes."""
    for name, text in icons().items():
        title, *shapes = ElementTree.fromstring(text)
        assert f"{title.text}.svg" == name and title.tag.endswith("title") and shapes


def test_every_component_belongs_to_a_library(sections: dict[str, str]) -> None:
    """Sections are in the order of the libraries, one for each component of the catalogue."""
    assert list(sections) == [name for names in libraries().values() for name in names] == list(all_components())


def test_nothing_generated_is_kept() -> None:
    """The page and its icons are in the build alone."""
    assert not (ROOT / "docs" / "components.md").exists() and not (ROOT / "docs" / ICONS).exists()
