"""Drives as expressions of Modelica."""

from __future__ import annotations

from coupling.errors import BuildError
from coupling.plan import formulas
from coupling.plan.drives import ConstantDrive, Drive, FormulaDrive, PiecesDrive, TableDrive

_BETWEEN = {"add": " + ", "multiply": "*", "power": "^", "less": " < ", "at_most": " <= ", "both": " and ", "either": " or "}


def drive_text(name: str, drive: Drive) -> str:
    """Returns the value of a drive as an expression; functions of Python raise BuildError with the name of the input."""
    if isinstance(drive, ConstantDrive):
        return number(float(drive.value))
    if isinstance(drive, FormulaDrive):
        return formula_text(drive.tree)
    if isinstance(drive, PiecesDrive):
        return formula_text(formulas.of_pieces(drive.times.tolist(), drive.coefficients.tolist(), drive.outside))
    if isinstance(drive, TableDrive):
        return formula_text(_table(drive))
    raise BuildError(
        f"'{name}' has no Modelica text: a Python function drives it; drive it by an expression of jourdain.declare.t or a table, or name the "
        "input in inputs=[...]"
    )


def _table(drive: TableDrive) -> formulas.Tree:
    """Returns a table as straight lines from row to row; a time that occurs twice is a jump."""
    times, values = drive.times.tolist(), drive.values.tolist()
    rows = [
        (begin, low, *([(high - low) / (end - begin)] if high != low else []))
        for begin, end, low, high in zip(times, times[1:], values, values[1:], strict=False)
        if end > begin
    ]
    if not rows:
        return values[-1] if len(set(times)) == len(times) else ("piecewise", values[0], ("less", formulas.TIME, times[0]), values[-1], 1.0)
    return formulas.of_pieces([*(row[0] for row in rows), times[-1]], [row[1:] for row in rows], (values[0], values[-1]))


def formula_text(tree: formulas.Tree) -> str:
    """Returns a formula of time. Conditions are events, at which a solver begins anew."""
    if isinstance(tree, float):
        return number(tree)
    if tree == formulas.TIME:
        return "time"
    operation, *operands = tree
    if operation == "piecewise":
        *cases, last = zip(operands[::2], operands[1::2], strict=True)
        text = "".join(f"if {_condition(condition)} then {formula_text(value)} else " for value, condition in cases)
        return f"({text}{formula_text(last[0])})"
    if operation == "not":
        return f"(not {_condition(operands[0])})"
    if operation in ("both", "either"):
        return f"({_BETWEEN[operation].join(map(_condition, operands))})"
    if operation == "power" and isinstance(operands[1], float) and operands[1].is_integer():
        return f"({formula_text(operands[0])}^({operands[1]:.0f}))"
    texts = list(map(formula_text, operands))
    return f"({_BETWEEN[operation].join(texts)})" if operation in _BETWEEN else f"{operation}({texts[0]})"


def _condition(tree: formulas.Tree) -> str:
    return str(bool(tree)).lower() if isinstance(tree, float) else formula_text(tree)


def number(value: float) -> str:
    """Returns a number; negative ones in parentheses, since Modelica has no two signs in a row."""
    plain = float(value) + 0.0  # never minus zero
    return repr(plain) if plain >= 0 else f"({plain!r})"
