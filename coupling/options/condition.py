"""Conditions on recorded values as text, such as ``abs(pole.theta) > 1``: a grammar of its own, of which Python evaluates nothing.

A condition becomes a tree as formulas have it: a number, the word ``time``, ``("column", name)``, ``("truth", name)`` for a Boolean, or an
operation and its operands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from coupling.errors import BuildError, listed, shown

Tree = Any

_FUNCTIONS = {
    **dict.fromkeys(("abs", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"), 1),
    **dict.fromkeys(("min", "max", "atan2"), 2),
}
"""Functions, with their numbers of operands."""
_TRUTHS = ("less", "at_most", "both", "either", "not", "truth")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\[[\d, ]+\])?(?:\.(?:der\([^()]*\)|\w+)(?:\[[\d, ]+\])*)*)"
    r"|'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\""
    r"|(?P<mark><=|>=|==|!=|\*\*|[-+*/^()<>,]))"
)
_LONGEST, _DEEPEST = 10_000, 50
"""Most characters of a condition, and most brackets, signs and powers inside each other."""


@lru_cache(64)
def parsed(text: str) -> Tree:
    """Returns the tree of a condition; refuses other texts by a sentence."""
    if len(text) > _LONGEST:
        raise BuildError(f"until = {shown(text)} is refused: its {len(text)} characters are more than {_LONGEST}; give a function")
    reader = _Reader(text)
    found = reader.truth(reader.either())
    if reader.kind != "end":
        reader.refuse(f"{shown(reader.token)} cannot follow there")
    return found


def margin(tree: Tree) -> Tree:
    """Returns a number that is positive where a condition holds, and says how far it is from its limit."""
    operation, *operands = tree
    if operation in ("both", "either"):
        return ("least" if operation == "both" else "greatest", *map(margin, operands))
    if operation == "not":
        return ("multiply", -1.0, margin(operands[0]))
    low, high = operands
    return ("add", high, ("multiply", -1.0, low))


def named(tree: Tree, place: Callable[[str, bool], float]) -> Tree:
    """Returns a condition whose columns have places in a row. ``place`` gets a name, and True if its value itself is the condition."""
    if not isinstance(tree, tuple):
        return tree
    if tree[0] == "column":
        return ("column", place(tree[1], False))
    if tree[0] == "truth":
        return ("less", 0.5, ("column", place(tree[1], True)))
    return (tree[0], *(named(each, place) for each in tree[1:]))


class _Reader:
    """A text on its way to a tree."""

    def __init__(self, text: str) -> None:
        self._text, self._place, self._depth = text, 0, 0
        self.kind, self.token, self._at = "", "", 0
        self.next()

    def refuse(self, why: str) -> BuildError:
        """Raises the error for this text."""
        there = f" at character {self._at + 1}" if self.kind != "end" else ""
        raise BuildError(
            f"until = {shown(self._text)} is refused: {why}{there}; a condition compares recorded values, such as 'abs(rod.theta) > 1', by "
            "<, <=, >, >=, and, or, not"
        )

    def next(self) -> None:
        """Goes on to the next word, number or mark."""
        found = _TOKEN.match(self._text, self._place)
        rest = self._text[self._place :].lstrip()
        self._at = len(self._text) - len(rest)
        if found is None:
            self.kind, self.token = "end", ""
            if rest:
                self.kind = "mark"
                self.refuse(f"{shown(rest[0])} has no meaning")
            return
        self._place = found.end()
        self.kind = str(found.lastgroup)
        self.token = found[self.kind]
        if self.kind == "name" and self.token in ("and", "or", "not"):
            self.kind = "mark"
        elif self.kind in ("single", "double"):
            self.kind = "quoted"

    def _taken(self, *marks: str) -> str:
        """Goes on if one of these marks comes, and returns it; otherwise an empty text."""
        if self.kind != "mark" or self.token not in marks:
            return ""
        mark = self.token
        self.next()
        return mark

    def truth(self, tree: Tree) -> Tree:
        """Returns a condition; a name by itself is one of a Boolean."""
        if isinstance(tree, tuple) and tree[0] == "column":
            return ("truth", tree[1])
        if not (isinstance(tree, tuple) and tree[0] in _TRUTHS):
            self.refuse("it has a number where a condition is expected")
        return tree

    def number(self, tree: Tree) -> Tree:
        if isinstance(tree, tuple) and tree[0] in _TRUTHS:
            self.refuse("it has a condition where a number is expected")
        return tree

    def _many(self, word: str, operation: str, part: Callable[[], Tree]) -> Tree:
        found = [part()]
        while self._taken(word):
            found = [self.truth(found[0]), *found[1:], self.truth(part())]
        return found[0] if len(found) == 1 else (operation, *found)

    def either(self) -> Tree:
        return self._many("or", "either", self._both)

    def _both(self) -> Tree:
        return self._many("and", "both", self._not)

    def _not(self) -> Tree:
        if self._taken("not"):
            return ("not", self.truth(self._deeper(self._not)))
        return self._comparison()

    def _comparison(self) -> Tree:
        terms, found = [self._sum()], []
        while mark := self._taken("<", "<=", ">", ">=", "==", "!="):
            if mark in ("==", "!="):
                self.refuse(f"'{mark}' is refused, because computed values hardly ever meet exactly; use < and >")
            terms = [self.number(terms[-1]), self.number(self._sum())]
            low, high = terms if mark[0] == "<" else terms[::-1]
            found.append(("at_most" if mark.endswith("=") else "less", low, high))
        if not found:
            return terms[0]
        return found[0] if len(found) == 1 else ("both", *found)

    def _sum(self) -> Tree:
        found = [self._product()]
        while mark := self._taken("+", "-"):
            term = self.number(self._product())
            found = [self.number(found[0]), *found[1:], term if mark == "+" else ("multiply", -1.0, term)]
        return found[0] if len(found) == 1 else ("add", *found)

    def _product(self) -> Tree:
        found = [self._signed()]
        while mark := self._taken("*", "/"):
            factor = self.number(self._signed())
            found = [self.number(found[0]), *found[1:], factor if mark == "*" else ("power", factor, -1.0)]
        return found[0] if len(found) == 1 else ("multiply", *found)

    def _signed(self) -> Tree:
        mark = self._taken("+", "-")
        if mark:
            found = self.number(self._deeper(self._signed))
            return found if mark == "+" else -found if isinstance(found, float) else ("multiply", -1.0, found)
        base = self._atom()
        if self._taken("^", "**"):
            return ("power", self.number(base), self.number(self._deeper(self._signed)))
        return base

    def _atom(self) -> Tree:
        kind, token = self.kind, self.token
        if self._taken("("):
            found = self._deeper(self.either)
            self._close()
            return found
        if kind in ("mark", "end"):
            self.refuse(f"{shown(token) if token else 'its end'} stands where a value is expected")
        self.next()
        if kind == "number":
            value = float(token)
            return value if math.isfinite(value) else self.refuse(f"{shown(token)} is too large")
        if kind == "name" and self.kind == "mark" and self.token == "(":
            return self._called(token)
        if kind == "name" and token in ("time", "pi"):
            return token if token == "time" else math.pi
        return ("column", token)

    def _called(self, name: str) -> Tree:
        if name not in _FUNCTIONS:
            self.refuse(f"'{name}' is no function of conditions; these are {listed(_FUNCTIONS, 40)}")
        self.next()
        given = [self.number(self._deeper(self.either))]
        while self._taken(","):
            given.append(self.number(self._deeper(self.either)))
        self._close()
        count = _FUNCTIONS[name]
        if len(given) != count and (count == 1 or name == "atan2" or len(given) < count):
            self.refuse(f"'{name}' has {len(given)} operands instead of {count}")
        if name == "sqrt":
            return ("power", *given, 0.5)
        return ({"min": "least", "max": "greatest"}.get(name, name), *given)

    def _close(self) -> None:
        if not self._taken(")"):
            self.refuse("')' is missing")

    def _deeper(self, part: Callable[[], Tree]) -> Tree:
        self._depth += 1
        if self._depth > _DEEPEST:
            self.refuse("its brackets are too deep")
        found = part()
        self._depth -= 1
        return found
