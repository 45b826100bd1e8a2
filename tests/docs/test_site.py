"""The sources of the documentation site, and the check of its links. The site itself takes minutes and is built by one slow test."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import jourdain
from docs.site.examples import EXAMPLES, example_page, titles
from docs.site.gallery import MACHINES
from docs.site.links import dead_links
from docs.site.reference import reference_pages
from docs.site.sources import PROJECT, ROOT, STUDIES, TUTORIALS, _navigation, on_the_site


def test_dead_links_are_found(tmp_path):
    """A page, an anchor or a picture that is not there, and a script from another host; what is there and what may be clicked is not told of."""
    (tmp_path / "other.html").write_text('<h1 id="top">Other</h1>')
    good = '<a href="other.html#top">a</a><a href="#here" id="here">b</a><a href="https://example.org">c</a>'
    (tmp_path / "page.html").write_text(good)
    assert list(dead_links(tmp_path)) == []
    bad = '<a href="gone.html">a</a><a href="other.html#gone">b</a><img src="gone.svg"/><script src="https://example.org/x.js"></script>'
    (tmp_path / "page.html").write_text(good + bad)
    assert list(dead_links(tmp_path)) == [
        "page.html points to 'gone.html', which is not there",
        "page.html points to 'other.html#gone', but that page has no such anchor",
        "page.html points to 'gone.svg', which is not there",
        "page.html loads 'https://example.org/x.js' from elsewhere",
    ]


def test_links_lead_to_pages_of_the_site():
    """Examples are pages there, folders have an index, the README is the first page; what is in the sources alone is no link."""
    pages = ["index.md", "docs/space.md", "examples/01_pendulum.md", "examples/index.md"]
    text = "[a](../examples/01_pendulum.py) [b](../examples) [c](space.md#top) [d](../README.md) [e](../tests/whole) [f](#here) ![g](x.svg)"
    assert on_the_site(text, "docs/coupling.md", pages) == (
        "[a](../examples/01_pendulum.md) [b](../examples/index.md) [c](space.md#top) [d](../index.md) e [f](#here) ![g](x.svg)"
    )


def test_every_page_is_in_the_navigation():
    """Manuals, studies, decisions and tutorials, each once; pages that the README does not name as well."""
    entries = [line for line in _navigation().splitlines() if re.match(r"^[\w/.-]+$", line)]
    assert len(entries) == len(set(entries))
    written = {f"docs/{path.stem}" for path in ROOT.glob("docs/*.md")} | {
        f"docs/tutorials/{path.stem}" for path in ROOT.glob("docs/tutorials/*.md")
    }
    assert {entry for entry in entries if entry.startswith("docs/")} == written | {"docs/decisions/README"}
    assert {f"docs/{name}" for name in (*STUDIES, *PROJECT)} <= written
    assert sorted(TUTORIALS) == sorted(path.stem for path in ROOT.glob("docs/tutorials/*.md"))


@pytest.mark.slow
def test_no_example_loses_code_on_its_page():
    """The pieces of its page, one after the other, are the program without its docstring."""
    assert [name for name in titles() if loses_code(name)] == []


def loses_code(name):
    pieces = "\n".join(re.findall(r"```python\n(.*?)\n```", example_page(name), re.DOTALL))
    program = ast.parse((EXAMPLES / f"{name}.py").read_text())
    shown = ast.parse(pieces).body[: len(program.body) - 1]
    return [ast.dump(each) for each in shown] != [ast.dump(each) for each in program.body[1:]]


def test_every_public_name_has_its_place_in_the_reference():
    text = "\n".join(reference_pages().values())
    assert sorted(re.findall(r"(?:autoclass|autofunction|autoexception|data):: jourdain\.(\w+)", text)) == sorted(jourdain.__all__)
    assert {"jourdain.icon", "jourdain.measures", "jourdain.picture"} <= set(re.findall(r"automodule:: ([\w.]+)", text))


def test_the_gallery_shows_examples():
    """It shows at least twelve, some of them in space."""
    names = [machine.example for machine in MACHINES]
    assert len(names) >= 12 and set(names) <= set(titles()) and len(set(names)) == len(names)


@pytest.mark.slow
def test_the_site_is_built(tmp_path):
    """It builds without a warning of Sphinx and without a dead link. Every machine of the gallery moves, and no file names the place of the
    build."""
    pytest.importorskip("sphinx", reason="the extra 'docs' is not installed")
    done = subprocess.run([sys.executable, "-m", "docs.site", "--out", str(tmp_path / "site")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"[0-9]+ pages in .*, 0 dead links", done.stdout)
    made = tmp_path / "site" / "gallery"
    for machine in MACHINES:
        picture = (made / f"{machine.example}.svg").read_text()
        assert "<animate" in picture and "<script" not in picture
        for page in (picture, (made / f"{machine.example}.player.html").read_text()):
            assert str(ROOT) not in page and str(Path.home()) + "/" not in page
