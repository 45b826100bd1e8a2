"""The sources of the documentation site, and the check of its links. The site itself takes minutes and is built by one slow test."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import jourdain
from docs.site.examples import EXAMPLES, example_page, titles
from docs.site.gallery import FIRST_ROW, MACHINES, Picture, gallery_page
from docs.site.guides import DRAWINGS, GUIDES, Drawing, with_picture
from docs.site.links import dead_links
from docs.site.reference import reference_pages
from docs.site.sources import PROJECT, ROOT, SHORT, STUDIES, TUTORIALS, _navigation, on_the_site
from tests.support.browser import CHROMIUM, Browser


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
    entries = [found[1] or found[2] for line in _navigation().splitlines() if (found := re.match(r"^(?:.* <([^>]+)>|([\w/.-]+))$", line))]
    assert len(entries) == len(set(entries))
    written = {f"docs/{path.stem}" for path in ROOT.glob("docs/*.md")} | {
        f"docs/tutorials/{path.stem}" for path in ROOT.glob("docs/tutorials/*.md")
    }
    assert {entry for entry in entries if entry.startswith("docs/")} == written | {"docs/components", "docs/decisions/README"}
    assert {f"docs/{name}" for name in (*STUDIES, *PROJECT)} <= written
    for entry in entries:
        if entry.startswith("docs/") and entry != "docs/components":
            title = (ROOT / f"{entry}.md").read_text().partition("\n")[0].removeprefix("# ")
            assert len(SHORT.get(entry, title).split()) <= 5, title
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


def test_each_guide_has_a_picture():
    """Each manual and each tutorial has a machine of the gallery or a drawing of the build, after its first paragraph."""
    manuals = {f"docs/{path.stem}" for path in ROOT.glob("docs/*.md")} - {f"docs/{name}" for name in (*STUDIES, *PROJECT)}
    assert set(GUIDES) == manuals | {f"docs/tutorials/{name}" for name in TUTORIALS}
    assert set(GUIDES.values()) <= {machine.example for machine in MACHINES} | set(DRAWINGS)
    machine, drawn = {"14_bricard": Picture("14_bricard", "Bricard mechanism", ())}, {"bode": Drawing("bode", Path("bode.svg"))}
    page = with_picture("# A\n\nFirst.\n\nSecond.\n", "docs/constraint-drift", machine, drawn)
    assert re.match(r"# A\n\nFirst\.\n\n.*src=\"\.\./gallery/14_bricard\.svg\".*\n\nSecond\.\n$", page, re.DOTALL)
    assert 'src="../gallery/bode.svg"' in with_picture("# A\n\nFirst.\n\nSecond.\n", "docs/linear-models", machine, drawn)
    assert with_picture("# A\n\nFirst.\n\nSecond.\n", "docs/speed", machine, drawn) == "# A\n\nFirst.\n\nSecond.\n"


def test_the_first_row_of_the_gallery_moves():
    """The families below it show still pictures of all machines, each once."""
    pictures = [Picture(each.example, each.example, (), each.family) for each in MACHINES]
    first, *families = gallery_page(pictures).split("## ")
    assert re.findall(r'<img loading="lazy" src="(\w+)\.svg"', first) == list(FIRST_ROW)
    shown = re.findall(r'<img class="still drawn" loading="lazy" src="(\w+)\.still\.svg"', "".join(families))
    assert sorted(shown) == sorted(each.example for each in MACHINES)
    assert [each.partition("\n")[0] for each in families] == list(dict.fromkeys(each.family for each in MACHINES))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built once."""
    pytest.importorskip("sphinx", reason="the extra 'docs' is not installed")
    folder = tmp_path_factory.mktemp("built") / "site"
    done = subprocess.run([sys.executable, "-m", "docs.site", "--out", str(folder)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"[0-9]+ pages in .*, 0 dead links", done.stdout)
    return folder


@pytest.mark.slow
def test_the_site_is_built(site):
    """It builds without a warning of Sphinx and without a dead link. Every machine of the gallery moves, and no file names the place of the
    build."""
    made = site / "gallery"
    for machine in MACHINES:
        picture = (made / f"{machine.example}.svg").read_text()
        assert "<animate" in picture and "<script" not in picture
        for page in (picture, (made / f"{machine.example}.player.html").read_text()):
            assert str(ROOT) not in page and str(Path.home()) + "/" not in page


@pytest.fixture
def served(site):
    """The address of the site on a server of this machine, as search results fetch pages, which browsers refuse for files."""
    handler = partial(QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


PAGES = (
    "index",
    "docs/linear-models",
    "docs/tutorials/ten-minutes",
    "docs/results",
    "gallery/index",
    "gallery/14_bricard",
    "components/planar.Revolute",
    "components/planar",
    "docs/components",
    "docs/theory",
)


@pytest.mark.slow
# Needed since nothing stands in for a browser, and pip installs none: Debian's package chromium gives one.
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine: apt-get install chromium")
def test_the_site_in_a_browser(served):
    """Pages load without an error and without a request to another host, fit a phone, and have a dark mode without bright pictures. Each has a
    search field, short entries in its sidebar, and links to the next page."""
    with Browser() as browser:
        for page in PAGES:
            backgrounds = []
            for width, dark in ((1280, False), (390, False), (390, True), (1280, True)):
                browser.show(f"{served}{page}.html", width, dark)
                assert browser.value("document.documentElement.scrollWidth") <= width, page
                backgrounds.append(browser.value("getComputedStyle(document.body).backgroundColor"))
                assert browser.errors == [], page
                assert [url for url in browser.requests if not url.startswith((served, "data:", "blob:"))] == []
                assert not dark or (browser.window().min(axis=2) > 0.85).mean() < 0.03, page
            assert backgrounds[0] == backgrounds[1] != backgrounds[2]
            assert browser.value("!!document.querySelector('input.sidebar-search, input[name=q]')"), page
            entries = browser.value("[...document.querySelectorAll('.sidebar-tree a')].map(a => a.textContent.trim())")
            assert entries and all(len(entry.split()) <= 5 for entry in entries), page
            if page.startswith("docs/") and page.removeprefix("docs/") not in (*STUDIES, "components"):
                assert browser.value("!!document.querySelector('.next-page') && !!document.querySelector('figure.guide img')"), page
        browser.show(f"{served}gallery/14_bricard.html", 1280)
        assert browser.value("document.body.dataset.theme = 'dark'; document.querySelector('iframe').src.includes('#')") is False
        assert browser.value("document.querySelector('iframe').src").endswith("gallery/14_bricard.player.html#theme=dark")
        browser.show(f"{served}search.html?q=baumgarte", 1280)
        found = "[...document.querySelectorAll('#search-results li a')].map(a => a.textContent)"
        until = time.monotonic() + 30
        while "Constraint drift" not in browser.value(found) and time.monotonic() < until:
            time.sleep(0.1)
        assert "Constraint drift" in browser.value(found) and browser.errors == []
