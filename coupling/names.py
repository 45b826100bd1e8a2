"""Names of instances and variables: their meaning, patterns, and suggestions for unknown names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import SequenceMatcher
from itertools import chain, count
from warnings import warn

from coupling.errors import shown

_LONGEST = 200
"""Most characters of a name."""


def unfit(name: str) -> str:
    """Returns the part of a name that files, spreadsheets, C comments or terminals do not take; empty for a name that fits.

    This rule holds for systems, instances, joints, titles and measures.
    """
    odd = next((each for each in name if not each.isprintable()), None)
    if odd is not None:
        return f"the character U+{ord(odd):04X} in it cannot be printed"
    if name[:1] in tuple("=+-@"):
        return f"{name[0]!r} at its beginning makes it a formula in spreadsheets"
    mark = next((each for each in ("/*", "*/") if each in name), None)
    if mark:
        return f"{mark!r} in it marks a comment"
    if len(name) > _LONGEST:
        return f"its {len(name)} characters are more than {_LONGEST}"
    return ""


def check_title(title: object) -> None:
    """Refuses a title of a page or moving picture that is no text, or does not fit into one."""
    if title is not None and not isinstance(title, str):
        raise TypeError(f"animate: title = {shown(title)} is no text; leave it out, or give a line of text")
    why = unfit(title or "")
    if why:
        raise ValueError(f"animate: title = {shown(title)} is refused: {why}; give another line of text")


def resolve(text: str, instances: Collection[str]) -> tuple[str, str]:
    """Returns the instance that a name begins with, the longest that exists, and the rest after its dot.

    If no instance has such a name, the first result is the text before the first dot, which then names nothing.
    """
    end = len(text)
    while end > 0:
        if text[:end] in instances:
            return text[:end], text[end + 1 :]
        end = text.rfind(".", 0, end)
    instance, _, rest = text.partition(".")
    return instance, rest


def matches(name: str, pattern: str) -> bool:
    """Says whether a name fits a pattern in which ``*`` stands for anything. All other characters, brackets too, stand for themselves."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


_LONGEST_NAME = 1000
"""Characters of the longest name that is compared with others."""
_ENOUGH = 0.65
"""Least likeness of two names, from 0 to 1, at which one is offered in place of the other."""


def nearest(name: str, existing: Iterable[str], limit: int = 3, prefix: str = "") -> str:
    """Returns a question such as ``did you mean 'rod.p1' or 'rod.p2'?``; empty if no name is near.

    Capitals do not matter. The text before the last dot does not matter if the text after it agrees. ``prefix`` is shown before all names.
    """
    if len(name) > _LONGEST_NAME:
        return ""  # comparing it may take seconds
    scores = {each: _likeness(name.lower(), each.lower()) for each in existing}
    near = sorted(
        (each for each, score in scores.items() if max(score) >= _ENOUGH), key=lambda each: (-max(scores[each]), -sum(scores[each]), each)
    )
    return f"did you mean {either([repr(prefix + each) for each in near[:limit]])}?" if near else ""


_ANGLES = frozenset(("angle", "phi", "q", "theta"))
"""Names of an angle, which are alike."""


def _likeness(name: str, other: str) -> tuple[float, float]:
    """Returns the likeness of the whole names, and that of their last parts, which counts for less."""
    (owner, _, last), (other_owner, _, others) = name.rpartition("."), other.rpartition(".")
    if last != others and {last, others} <= _ANGLES:
        return (0.95 if owner == other_owner else _ratio(name, other)), 0.8
    return _ratio(name, other), 0.9 * _ratio(last, others)


def _ratio(name: str, other: str) -> float:
    matcher = SequenceMatcher(None, name, other, autojunk=False)
    return matcher.ratio() if min(matcher.real_quick_ratio(), matcher.quick_ratio()) >= _ENOUGH else 0.0


def without_blanks(names: Iterable[str], target: str | None = None) -> dict[str, str]:
    """Returns names for other tools, by the names of instances and of the systems that contain them: white space becomes ``_``.

    A name that another instance has already gets a number. If ``target`` is given, the file that is written, a warning reports it.
    """
    return _translated(names, lambda text: re.sub(r"\s", "_", text), "without blanks", target)


def identifiers(names: Iterable[str], target: str | None = None) -> dict[str, str]:
    """Returns names as ``without_blanks`` does, each of letters, digits, ``_`` and ``-`` alone: OMSimulator refuses all others."""
    return _translated(names, identifier, "of letters, digits, '_' and '-'", target)


def identifier(text: str) -> str:
    """Returns a name that begins with a letter of ASCII, and has only such letters, digits, ``_`` and ``-``."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", text)
    return plain if plain[:1].isalpha() else f"x{plain}"


def _translated(names: Iterable[str], plain_of: Callable[[str], str], form: str, target: str | None) -> dict[str, str]:
    paths = dict.fromkeys(".".join(parts[: depth + 1]) for name in names for parts in (name.split("."),) for depth in range(len(parts)))
    found: dict[str, str] = {}
    taken: set[str] = set()

    def changes(path: str) -> bool:
        last = path.rpartition(".")[2]
        return plain_of(last) != last

    for path in sorted(paths, key=lambda path: (path.count("."), changes(path))):
        parent, _, last = path.rpartition(".")
        plain = f"{found[parent]}.{plain_of(last)}" if parent else plain_of(last)
        found[path] = next(each for each in chain([plain], (f"{plain}_{n}" for n in count(2))) if each not in taken)
        taken.add(found[path])
        if target and found[path] != plain:
            warn(
                f"'{target}': {path!r} is called {found[path]!r} there, since {plain!r} is taken; give it a name {form} to choose another one",
                stacklevel=3,
            )
    return found


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Returns the full name of a variable, a port or an instance, whose instance has a new name."""
    instance, rest = resolve(text, names)
    return f"{names[instance]}.{rest}" if rest else names[instance]


def either(words: list[str]) -> str:
    """Returns words with commas between them, and an or before the last."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
