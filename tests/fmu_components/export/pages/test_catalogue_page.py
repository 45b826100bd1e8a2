"""The catalogue page lists every component, and what is committed is what the generator makes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.export.pages.catalogue_page import COMMAND, ICONS, PAGE, catalogue_page, icons, write

DOCS = Path(__file__).parents[4] / "docs"


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


def test_committed_page_is_up_to_date(page: str) -> None:
    """docs/components.md is what the generator makes now; otherwise run the command in its last line."""
    assert (DOCS / PAGE).read_text(encoding="utf-8") == page, f"run {COMMAND}"


def test_committed_icons_are_up_to_date() -> None:
    """docs/icons holds exactly the icons of the catalogue, as they are drawn now."""
    committed = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / ICONS).iterdir()}
    assert committed == icons(), f"run {COMMAND}"


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


def test_icons_have_a_white_ground() -> None:
    """Each icon is well-formed and starts with a white rectangle, so that it shows on a dark page too."""
    for text in icons().values():
        title, ground, *shapes = ElementTree.fromstring(text)
        assert title.tag.endswith("title") and ground.tag.endswith("rect") and ground.get("fill") == "#ffffff" and shapes


def test_writing_makes_page_and_icons_and_removes_stale_ones(tmp_path: Path) -> None:
    """Into an empty folder everything is written; the icon of a component that is gone is removed, other files stay."""
    (tmp_path / ICONS).mkdir()
    (tmp_path / ICONS / "planar.Gone.svg").write_text("")
    (tmp_path / "other.md").write_text("")
    write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {PAGE, ICONS, "other.md"}
    assert {path.name for path in (tmp_path / ICONS).iterdir()} == set(icons())
    assert (tmp_path / PAGE).read_text(encoding="utf-8").rstrip().endswith(f"`{COMMAND}`.")


def written_in(docs: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (docs / PAGE, *(docs / ICONS).iterdir())}


@pytest.mark.slow  # what it writes is tested above
def test_the_command_is_a_module_that_runs(tmp_path: Path) -> None:
    """The command in the last line makes what is committed, in the folder docs of the checkout it runs in; another one here, since other tests
    read this one meanwhile."""
    (tmp_path / "fmu_components").symlink_to(DOCS.parent / "fmu_components")
    subprocess.run([sys.executable, *COMMAND.split()[1:]], check=True, cwd=tmp_path)
    assert written_in(tmp_path / "docs") == written_in(DOCS)
