"""Pages that Sphinx reads, in a separate folder: those of the repository, and those from examples, components and docstrings."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from docs.site.catalogue import ICONS, catalogue_page, icons
from docs.site.components import component_page, declarations, libraries, library_page
from docs.site.examples import example_page, examples_page, titles
from docs.site.gallery import Picture, gallery_page, machine_page
from docs.site.guides import Drawing, with_picture
from docs.site.reference import reference_pages
from docs.site.words import toctree

ROOT = Path(__file__).parents[2]
TUTORIALS = ("ten-minutes", "foreign-actuator", "exporting", "own-joint", "controller", "in-space", "many-runs", "openmodelica")
STUDIES = ("compared", "theory", "papers", "co-simulation-stability", "crane", "interoperability", "reliability-tests", "misprints")
PROJECT = ("architecture", "evaluation", "inside-exports", "glossary", "versioning", "release-notes-0.1.0")
"""Pages of the folder docs that are no manuals."""
SHORT = {"docs/tutorials/ten-minutes": "A first machine"}
"""Entries of the navigation whose titles have more than five words."""


def put_together(folder: Path, pictures: Iterable[Picture] = (), drawn: Iterable[Drawing] = ()) -> None:
    """Writes all sources into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    made = {picture.name: picture for picture in pictures}
    pages: dict[str, str] = {"index.md": (ROOT / "README.md").read_text(encoding="utf-8") + "\n" + _navigation()}
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md"), *ROOT.glob("docs/tutorials/*.md")):
        if path.name != "README.md" or path.parent.name == "decisions":
            pages[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    pages["docs/components.md"] = catalogue_page()
    kept = {each.name: each for each in drawn}
    pages |= {name: with_picture(text, name.removesuffix(".md"), made, kept) for name, text in pages.items()}
    decisions = sorted(path.stem for path in ROOT.glob("docs/decisions/*.md") if path.stem != "README")
    pages["docs/decisions/README.md"] += "\n" + toctree(decisions)
    pages |= {f"examples/{name}.md": example_page(name, made[name].embedded if name in made else "") for name in titles()}
    pages |= {f"gallery/{name}.md": machine_page(picture) for name, picture in made.items()}
    pages |= {"examples/index.md": examples_page(), "gallery/index.md": gallery_page(list(made.values()))}
    pages |= {f"components/{name}.md": component_page(name) for name in declarations()}
    pages |= {f"components/{library}.md": library_page(library, names) for library, names in libraries().items()}
    pages |= {f"python/{name}": text for name, text in reference_pages().items()}
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(on_the_site(text, name, pages), encoding="utf-8")
    (folder / "docs" / ICONS).mkdir()
    for name, icon in icons().items():
        (folder / "docs" / ICONS / name).write_text(icon, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "pictures", folder / "docs" / "pictures")


def on_the_site(text: str, name: str, pages: Iterable[str]) -> str:
    """Returns a page with links that lead to pages of the site; files outside of the site are named without a link."""
    known = set(pages)

    def led(link: re.Match[str]) -> str:
        words, target, anchor = link[1], link[2], link[3] or ""
        if not target or "://" in target:
            return link[0]
        there = _normal(Path(name).parent / target)
        if there == "README.md":
            return f"[{words}]({_up(name)}index.md{anchor})"
        for other in (there.removesuffix(".py") + ".md", f"{there}/index.md"):
            if there not in known and other in known:
                return f"[{words}]({_up(name)}{other}{anchor})"
        return link[0] if there in known else words

    return re.sub(r"(?<!!)\[([^\]\[]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", led, text)


def _normal(path: Path) -> str:
    """Returns a path without steps up."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _up(name: str) -> str:
    return "../" * name.count("/")


def _navigation() -> str:
    """Returns the navigation: all pages, in the order in which the README names them."""
    named = re.findall(r"\]\(docs/([\w-]+)\.md", (ROOT / "README.md").read_text(encoding="utf-8"))
    manuals = [*dict.fromkeys(named), *sorted(path.stem for path in ROOT.glob("docs/*.md"))]
    manuals = [name for name in dict.fromkeys(manuals) if name not in (*STUDIES, *PROJECT)]
    tutorials = [name for name in TUTORIALS if (ROOT / "docs" / "tutorials" / f"{name}.md").is_file()]
    parts = (
        ("Tutorials", [f"docs/tutorials/{name}" for name in tutorials] + ["examples/index", "gallery/index"]),
        ("Manuals", [f"docs/{name}" for name in manuals]),
        ("Reference", ["docs/components", *(f"components/{library}" for library in libraries()), "python/index"]),
        ("Studies", [f"docs/{name}" for name in STUDIES]),
        ("Project", [*(f"docs/{name}" for name in PROJECT), "docs/decisions/README", "CONTRIBUTING", "SECURITY", "CHANGELOG"]),
    )
    named_pages = ([f"{SHORT[page]} <{page}>" if page in SHORT else page for page in pages] for _, pages in parts)
    return "\n\n".join(toctree(pages, caption) for (caption, _), pages in zip(parts, named_pages, strict=True)) + "\n"
