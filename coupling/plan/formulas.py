"""Formulas of time: trees of named operations, made from expressions of SymPy, differentiated there, and evaluated by the kernel.

A tree is a number, the word ``time``, or the name of an operation followed by its operands. Files hold it in this form; text is never
evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from coupling.errors import BuildError, listed, shown
from coupling.plan.instances import formula_component, time_symbol

Tree = Any
"""A tree of type float | str | tuple[str, Tree, ...], which Python's types cannot express."""

TIME = "time"
OPERATIONS = (
    *("number", TIME, "add", "multiply", "power", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"),
    *("less", "at_most", "both", "either", "not", "piecewise"),
)
"""Operations in the order of the kernel's. ``piecewise`` has values, each followed by the condition under which it holds."""
_OF_ROWS = (*OPERATIONS, "column", "abs", "least", "greatest", "atan2")
"""Operations of conditions on rows, which no formula of time has."""
_COUNTS = {"power": 2, "less": 2, "at_most": 2, "add": None, "multiply": None, "both": None, "either": None, "piecewise": None}
"""Number of operands of operations that do not have exactly one; None for at least one."""
_ONE_BY_ONE = ("add", "multiply", "both", "either", "least", "greatest")
"""Operations whose operands are taken one by one, which keeps the stack low."""
_DEPTH = 256
"""Size of the kernel's stack."""


def checked(tree: Tree, name: str) -> Tree:
    """Returns a tree from a file, checked; ``name`` is the input that it drives."""
    try:
        return _on_the_stack(_operands_checked(tree, name), name)
    except RecursionError:
        raise _too_deep(name) from None


def flat(tree: Tree) -> list[Any]:
    """Returns a tree as a list: operands before their operation, which is a pair of its name and their number. Nothing in it is nested."""
    if not isinstance(tree, tuple):
        return [tree]
    return [*(each for operand in tree[1:] for each in flat(operand)), (tree[0], len(tree) - 1)]


def unflattened(items: Any, name: str) -> Tree:
    """Returns the tree of such a list from a file, which is checked."""
    found: list[Tree] = []
    for each in items if isinstance(items, tuple) else ():
        if not isinstance(each, tuple):
            found.append(each)
            continue
        operation, count = each if len(each) == 2 else ("", 0)
        if not isinstance(count, int) or not 0 < count <= len(found):
            raise BuildError(f"the formula that drives '{name}' has {shown(each)} after {len(found)} operands; start the run again")
        found[-count:] = [(operation, *found[-count:])]
    if len(found) != 1:
        raise BuildError(f"the formula that drives '{name}' has {len(found)} values in place of one; start the run again")
    return checked(found[0], name)


def _operands_checked(tree: Tree, name: str) -> Tree:
    if tree == TIME or (isinstance(tree, int | float) and not isinstance(tree, bool)):
        return tree if tree == TIME else float(tree)
    if not isinstance(tree, list | tuple) or not tree or tree[0] not in OPERATIONS[2:]:
        raise BuildError(f"the formula that drives '{name}' has {shown(tree)}; the operations are {listed(OPERATIONS[2:], 40)}")
    wanted, count = _COUNTS.get(tree[0], 1), len(tree) - 1
    if count == 0 or (wanted is not None and count != wanted) or (tree[0] == "piecewise" and count % 2):
        raise BuildError(f"the formula that drives '{name}' has '{tree[0]}' with {count} operands, which is not how many it has")
    conditions = tree[2::2] if tree[0] == "piecewise" else tree[1:] if tree[0] in ("both", "either", "not") else ()
    odd = next((each for each in conditions if not _is_condition(each)), None)
    if odd is not None:
        raise BuildError(f"the formula that drives '{name}' has {shown(odd)} as a condition of '{tree[0]}'; give a comparison")
    return (tree[0], *(_operands_checked(each, name) for each in tree[1:]))


def _is_condition(tree: Tree) -> bool:
    return tree in (0, 1) or (isinstance(tree, list | tuple) and bool(tree) and tree[0] in ("less", "at_most", "both", "either", "not"))


def program(tree: Tree) -> list[float]:
    """Returns reverse Polish notation for the kernel: pairs of an operation and a number, which is a value or the number of operands.

    In conditions on rows, a column has its place in the row.
    """
    return [number for pair in _program(tree) for number in pair]


def _program(tree: Tree) -> Iterator[tuple[float, float]]:
    if isinstance(tree, float):
        yield 0.0, tree
    elif tree == TIME:
        yield 1.0, 0.0
    elif tree[0] == "column":
        yield float(_OF_ROWS.index("column")), float(tree[1])
    else:
        operation, *operands = tree
        code = float(_OF_ROWS.index(operation))
        one_by_one = operation in _ONE_BY_ONE
        for number, operand in enumerate(operands):
            yield from _program(operand)
            if one_by_one and number:
                yield code, 2.0
        if not one_by_one:
            yield code, float(len(operands))


def depth(tree: Tree) -> int:
    """Returns how many values are on the stack at the same time at most."""
    if not isinstance(tree, tuple):
        return 1
    operation, *operands = tree
    if operation == "column":
        return 1
    together = operation in _ONE_BY_ONE
    return max(depth(each) + (min(number, 1) if together else number) for number, each in enumerate(operands))


def _on_the_stack(tree: Tree, name: str) -> Tree:
    """Returns a tree whose values fit on the kernel's stack, which checks no bounds; refuses a deeper one."""
    if depth(tree) > _DEPTH:
        raise _too_deep(name)
    return tree


def _too_deep(name: str) -> BuildError:
    return BuildError(f"'{name}' cannot be driven by a formula so deeply nested; give a table with smooth=True")


def rate(tree: Tree, name: str) -> Tree:
    """Returns the time derivative."""
    import sympy

    time = time_symbol()
    return _on_the_stack(_tree(sympy.diff(_expression(tree), time), name, time), name)


def formula_of(expression: Any, name: str) -> tuple[Tree, tuple[float, ...] | None]:
    """Returns a formula, and the times at which it changes from piece to piece, or None where these are not known. Refuses expressions that
    no formula can have."""
    try:
        return _formula_of(expression, name, time_symbol())
    except RecursionError:
        raise _too_deep(name) from None


def _formula_of(expression: Any, name: str, time: Any) -> tuple[Tree, tuple[float, ...] | None]:
    others = sorted(str(each) for each in expression.free_symbols - {time})
    if others:
        remedy = "the time is jourdain.declare.t, and other symbols get a number by .subs(...)"
        raise BuildError(
            f"'{name}' cannot be driven by {expression}: {listed(others)} {'is' if len(others) == 1 else 'are'} not known; {remedy}"
        )
    plain = _piecewise(expression)
    return _on_the_stack(_tree(plain, name, time), name), _breaks(plain, time)


def _piecewise(expression: Any) -> Any:
    """Returns the expression with its corners written as pieces, whose derivatives are pieces too."""
    import sympy

    for kind in (sympy.Abs, sympy.sign, sympy.Max, sympy.Min, sympy.Heaviside):
        if expression.has(kind):
            expression = expression.rewrite(sympy.Piecewise)
    return expression


def _breaks(expression: Any, time: Any) -> tuple[float, ...] | None:
    """Returns the times at which conditions that are linear in time change."""
    import sympy

    found: set[float] = set()
    for piecewise in expression.atoms(sympy.Piecewise):
        for relation in (each for _, condition in piecewise.args for each in condition.atoms(sympy.core.relational.Relational)):
            slope = sympy.diff(relation.lhs - relation.rhs, time)
            if slope.free_symbols or slope == 0:
                return None
            found.add(float(time - (relation.lhs - relation.rhs) / slope))
    return tuple(sorted(found))


def _tree(expression: Any, name: str, time: Any) -> Tree:
    """Returns the tree of an expression of SymPy."""
    import sympy

    if expression == time:
        return TIME
    if expression.is_number:
        value = complex(expression)
        if value.imag or not math.isfinite(value.real):
            raise BuildError(f"'{name}' cannot be driven by a formula with {expression} in it; its numbers have to be real and finite")
        return value.real

    def of(*parts: Any) -> tuple[Tree, ...]:
        return tuple(_tree(each, name, time) for each in parts)

    kind = type(expression).__name__
    if isinstance(expression, sympy.Piecewise):
        return ("piecewise", *(each for value, condition in expression.args for each in of(value, condition)))
    if expression in (sympy.true, sympy.false):
        return float(bool(expression))
    if isinstance(expression, sympy.Eq | sympy.Ne):  # which hold, or do not, at single times, at which integration begins anew
        return float(isinstance(expression, sympy.Ne))
    if kind not in _FROM_SYMPY:
        known = ", ".join(sorted(_FROM_SYMPY))
        raise BuildError(
            f"'{name}' cannot be driven by a formula with {kind} in it; there are {known}, Abs, sign, Min, Max, Heaviside and Piecewise"
        )
    operation = _FROM_SYMPY[kind]
    if kind in ("StrictGreaterThan", "GreaterThan"):
        return (operation, *reversed(of(*expression.args)))
    return (operation, *of(*expression.args))


_FROM_SYMPY = {
    "Add": "add",
    "Mul": "multiply",
    "Pow": "power",
    "And": "both",
    "Or": "either",
    "Not": "not",
    **{name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")},
    "StrictLessThan": "less",
    "LessThan": "at_most",
    "StrictGreaterThan": "less",
    "GreaterThan": "at_most",
}


def _expression(tree: Tree) -> Any:
    """Returns the expression of SymPy of a tree, operation by operation."""
    import sympy

    if isinstance(tree, float):
        return sympy.Integer(int(tree)) if tree.is_integer() else sympy.Float(tree, 17)
    if tree == TIME:
        return time_symbol()
    operation, *operands = tree
    given = [_expression(each) for each in operands]
    if operation == "piecewise":
        conditions = [_condition(tree[number]) for number in range(2, len(tree), 2)]
        return sympy.Piecewise(*zip(given[::2], conditions, strict=True), evaluate=False)
    makers: dict[str, Callable[..., Any]] = {
        "add": sympy.Add,
        "multiply": sympy.Mul,
        "power": sympy.Pow,
        "less": sympy.StrictLessThan,
        "at_most": sympy.LessThan,
        "both": sympy.And,
        "either": sympy.Or,
        "not": sympy.Not,
    }
    made = makers[operation] if operation in makers else getattr(sympy, operation)
    return made(*given)


def _condition(tree: Tree) -> Any:
    import sympy

    return sympy.sympify(bool(tree)) if isinstance(tree, float) else _expression(tree)


def of_pieces(times: Sequence[float], coefficients: Sequence[Sequence[float]], outside: tuple[float, float]) -> Tree:
    """Returns a formula that is polynomials from one time to the next."""
    found: list[Tree] = [outside[0], ("less", TIME, float(times[0]))]
    for begin, end, row in zip(times[:-1], times[1:], coefficients, strict=True):
        since = ("add", TIME, -float(begin))
        sum_: Tree = float(row[-1])
        for each in reversed(row[:-1]):
            sum_ = ("add", ("multiply", sum_, since), float(each))
        found += [sum_, ("less", TIME, float(end))]
    return ("piecewise", *found, outside[1], 1.0)


@cache
def component(tree: Tree) -> type:
    """Returns a component whose output is a formula, for files in which other tools read it."""
    return formula_component(_expression(_with_a_last_piece(tree)))


def _with_a_last_piece(tree: Tree) -> Tree:
    """Returns the formula with no number where none of its pieces holds, which the kernel gives there too; C needs a last piece."""
    if not isinstance(tree, tuple):
        return tree
    operation, *operands = map(_with_a_last_piece, tree)
    return (operation, *operands, *((math.nan, 1.0) if operation == "piecewise" and operands[-1] != 1.0 else ()))
