"""Common subexpressions: what is computed once and used often.

``sympy.cse`` gives nearly the same, but asks of each sum with which sign it would come first if all terms were sorted, which takes longer than all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import sympy
from sympy.simplify.cse_main import Unevaluated, match_common_args, tree_cse

Shared = tuple[list[tuple[sympy.Symbol, sympy.Expr]], list[sympy.Expr]]
"""Temporaries with their definitions, in order, and the expressions in terms of them."""


def shared_parts(expressions: Sequence[sympy.Expr]) -> Shared:
    """Breaks expressions into their common parts, named t0, t1, ..., among them common terms and factors of different sums and products."""
    symbols = (sympy.Symbol(f"t{i}") for i in range(10**6))
    return tree_cse(expressions, symbols, opt_subs=_rewritten(expressions), order="none")


def _rewritten(expressions: Sequence[sympy.Expr]) -> dict[sympy.Basic, sympy.Basic]:
    """Parts, and the forms of them that have more in common with others."""
    search = _Search()
    for expression in expressions:
        search.visit(expression)
    match_common_args(sympy.Add, list(search.sums), search.rewritten)
    match_common_args(sympy.Mul, list(search.products), search.rewritten)
    return search.rewritten


@dataclass
class _Search:
    """Walks over all parts, each once, and brings differences and quotients into one form: a - b and b - a differ by a sign."""

    rewritten: dict[sympy.Basic, sympy.Basic] = field(default_factory=dict)
    sums: dict[sympy.Add, None] = field(default_factory=dict)
    products: dict[sympy.Mul, None] = field(default_factory=dict)
    _seen: dict[sympy.Basic, int] = field(default_factory=dict)

    def visit(self, part: sympy.Basic) -> None:
        if not part.args or part in self._seen:
            return
        for each in part.args:
            self.visit(each)
        self._seen[part] = len(self._seen)
        if isinstance(part, sympy.Pow) and _is_negative(part.exp):
            self.rewritten[part] = Unevaluated(sympy.Pow, (sympy.Pow(part.base, -part.exp), sympy.S.NegativeOne))
        elif isinstance(part, sympy.Add | sympy.Mul):
            if self._is_turned(part):
                opposite = sympy.Add(*(-each for each in part.args)) if isinstance(part, sympy.Add) else -part
                if not opposite.args:
                    return
                self.rewritten[part] = Unevaluated(sympy.Mul, (sympy.S.NegativeOne, opposite))
                self._seen.setdefault(opposite, len(self._seen))
                part = opposite
            if isinstance(part, sympy.Add):
                self.sums[part] = None
            elif isinstance(part, sympy.Mul):
                self.products[part] = None

    def _is_turned(self, part: sympy.Add | sympy.Mul) -> bool:
        """Says whether the form with the opposite sign is kept. The form with more positive terms is kept; if equal, the one whose first
        term is positive."""
        if isinstance(part, sympy.Mul):
            return _is_negative(part)
        negative = sum(map(_is_negative, part.args))
        if 2 * negative != len(part.args):
            return 2 * negative > len(part.args)
        first = min(part.args, key=lambda each: self._place(-each if _is_negative(each) else each))
        return _is_negative(first)

    def _place(self, part: sympy.Basic) -> tuple[int, str]:
        """Orders terms the same way whatever their sum: by their names, or by when they were met first."""
        return (-1, str(part)) if not part.args else (self._seen.setdefault(part, len(self._seen)), "")


def _is_negative(part: sympy.Basic) -> bool:
    number = part.args[0] if isinstance(part, sympy.Mul) else part
    return bool(number.is_Number and number.is_negative)
