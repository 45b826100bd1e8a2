"""``docs/interoperability.md``: observations of other tools, beside the theory of compliant joints."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from tests.support.interoperability.cases import CASES, README, Case
from tests.support.interoperability.exported import SPLITS
from tests.support.interoperability.hold import longest_step, recipe
from tests.support.interoperability.outcome import NOTES, as_noted, note_for, outcome
from tests.support.interoperability.registry import COUPLING, MASTERS, VERSIONS, Master, master
from tests.support.interoperability.split_crane import PLAIN, difference
from tests.support.interoperability.split_crane import error as error_of_the_crane
from tests.support.interoperability.study import DEFAULTS, DOUBLE, LEVELS, MOBILITIES, SHORT, STEP, by_recipe, error, extrapolated, slower

PAGE = Path(__file__).parents[1] / "interoperability.md"
COMMAND = "python -m docs.programs.interoperability_page"
PACKAGES = ("fmpy", "ecospy", "libcosimpy", "fmu-manipulation-toolbox")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def _number(x: float) -> str:
    """Returns a number with three digits, because rounding errors differ between machines."""
    return f"{float(f'{x:.2e}'):.7g}"


# -- what runs where -----------------------------------------------------------------------------------------------------------


def cases() -> str:
    rows = [[case.title, case.against, *(_cell(each, case) for each in MASTERS)] for case in CASES]
    return _table(["FMUs", "compared with", *(each.title for each in MASTERS)], rows)


def _cell(each: Master, case: Case) -> str:
    if not each.couples and not case.alone:
        return "–"
    shown = []
    for fmi in VERSIONS:
        assert as_noted(each, case, fmi), f"{each.title}, {case.title}, FMI {fmi}: {outcome(each, case, fmi)}"
        note = note_for(each, case, fmi)
        shown.append(f"[{NOTES.index(note) + 1}]" if note else str(fmi))
    return ", ".join(dict.fromkeys(shown))


def notes() -> str:
    return "\n".join(f"- [{number}] {note.meaning}" for number, note in enumerate(NOTES, start=1))


def versions() -> str:
    """Returns a table of the installed versions. Only this part of the page may differ on other machines."""
    return _table(["package", "version"], [[f"`{package}`", importlib.metadata.version(package)] for package in PACKAGES])


def versions_of(page: str) -> str:
    """Returns the table of versions that a page was written with."""
    found = re.search(r"\| package \| version \|(\n\|.*)+", page)
    assert found
    return found.group()


# -- exported mechanisms -------------------------------------------------------------------------------------------------------


def split_crane() -> str:
    rows = []
    for split in SPLITS:
        apart = max(difference(title, split) for title in PLAIN)
        errors = (_number(error_of_the_crane(title, split)) for title in (PLAIN[0], "Jourdain"))
        rows.append([split, *errors, "less than 1e-9" if apart < 1e-9 else _number(apart)])
    return _table(["split", "error of the three others", "error of Jourdain", "difference"], rows)


# -- compliant joints ----------------------------------------------------------------------------------------------------------


def late() -> str:
    return "; ".join(each.title for each in COUPLING if each.late)


def fresh() -> str:
    return "; ".join(each.title for each in COUPLING if not each.late)


def _shown_slower() -> str:
    return f"{slower(README, DEFAULTS['compliant.k']):.1e}"


def _longest(forces_are_late: bool) -> str:
    return f"{1e3 * longest_step(DEFAULTS['compliant.k'], DEFAULTS['compliant.c'], MOBILITIES[README], forces_are_late):.2f}"


def pendulum() -> str:
    levels = range(LEVELS)
    head = [f"k = {DEFAULTS['compliant.k'] * 4**n:g}, h = {1e3 * STEP / 2**n:g} ms" for n in levels]
    rows = [[each.title, *(_number(error(each, n)) for n in levels), _number(extrapolated(each, LEVELS - 2))] for each in COUPLING]
    return _table(["master", *head, "extrapolated"], rows)


def mechanisms() -> str:
    rows = []
    for title in ("ecos", "FMPy's container"):
        chosen = master(title)
        for name, oracle in (("pendulum", SHORT), ("double pendulum", DOUBLE)):
            for step in (STEP / 2, STEP / 4):
                joint = recipe(chosen.late).parameters(MOBILITIES[oracle], step)
                parameters = [_number(joint[each]) for each in ("compliant.k", "compliant.c")]
                deviation = _number(np.abs(by_recipe(chosen, oracle, step)).max())
                rows.append([name, title, _number(MOBILITIES[oracle]), _number(1e3 * step), *parameters, deviation])
    return _table(["mechanism", "master", "mu, 1/kg", "h, ms", "k, N/m", "c, N.s/m", "deviation"], rows)


# -- the page ------------------------------------------------------------------------------------------------------------------

TABLES: tuple[Callable[[], str], ...] = (cases, notes, split_crane, late, fresh, pendulum, mechanisms)


def interoperability_page(table_of_versions: str) -> str:
    """Returns the whole page."""
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    parts = {table.__name__: table() for table in TABLES} | {
        "command": COMMAND,
        "versions": table_of_versions,
        "slower": _shown_slower(),
        "longest_late": _longest(True),
        "longest_fresh": _longest(False),
        "default_error": _number(error(master("ecos"), 0)),
    }
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text


if __name__ == "__main__":
    PAGE.write_text(interoperability_page(versions()), encoding="utf-8")
