"""Formulas of a page read back into SymPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import sympy

PRIME = "′"
MATHML = "{http://www.w3.org/1998/Math/MathML}"


def plain(element: Element | None) -> str:
    assert element is not None
    return "".join(element.itertext())


def key(formula: str) -> bytes:
    """Returns the key of a symbol: its markup inside the formula."""
    return ElementTree.tostring(ElementTree.fromstring(formula)[0][0])


def primed(name: str) -> str:
    """Returns the name of a function in Python, with a letter for each prime."""
    return name.replace(PRIME, "_")


class Reader:
    """Reads presentation MathML back as Python, in the way in which a person reads the formula."""

    SIGNS = {"−": "-", "\u2062": "*", "·": "*", "×": "*", "≤": "<=", "≥": ">=", "=": "==", "≠": "!="}
    WORDS = {"if": "", "otherwise": "True", "and": " and ", "or": " or ", "not": " not "}
    FUNCTIONS = {
        "sin": sympy.sin,
        "cos": sympy.cos,
        "tan": sympy.tan,
        "tanh": sympy.tanh,
        "max": sympy.Max,
        "min": sympy.Min,
        "sgn": sympy.sign,
        "ln": sympy.log,
        "arcsin": sympy.asin,
        "arccos": sympy.acos,
        "arctan": sympy.atan,
        "atan2": sympy.atan2,
        "abs": sympy.Abs,
        "sqrt": sympy.sqrt,
        "e": sympy.E,
        "π": sympy.pi,
        "Rational": sympy.Rational,
    }

    def __init__(self, names: dict[bytes, str], values: dict[str, sympy.Basic], tables: Mapping[str, Callable[..., sympy.Expr]]) -> None:
        self.names, self.values, self.tables = names, values, tables
        """``tables`` are functions by their names, which a prime follows for each derivative."""

    def equation(self, formula: Element | None) -> tuple[str, float]:
        """The name on the left and the value on the right."""
        assert formula is not None
        left, equals, *right = self.flat(formula[0])
        assert plain(equals) == "="
        text = self.row(right)
        return self.names[ElementTree.tostring(left)], float(eval(text, {**self.FUNCTIONS, **self.tables}))

    def flat(self, row: Element) -> list[Element]:
        """The parts of a row, with lines that were broken joined again."""
        parts: list[Element] = []
        for part in row:
            if part.get("class") == "lines":
                parts += [inner for line in part for cell in line for inner in cell if inner.tag != f"{MATHML}mspace"]
            else:
                parts.append(part)
        return parts

    def row(self, parts: list[Element]) -> str:
        if len(parts) > 2 and plain(parts[1]) == "\u2061":
            if plain(parts[0]).rstrip(PRIME) != plain(parts[0]):
                return f"{primed(plain(parts[0]))}{self.row(parts[2:])}"
            head, power = (parts[0][0], f"**({self.read(parts[0][1])})") if parts[0].tag == f"{MATHML}msup" else (parts[0], "")
            arguments = self.row(parts[2:])
            return f"{plain(head)}{arguments if plain(parts[2]).startswith('(') else f'({arguments})'}{power}"
        if parts and plain(parts[0]) == "{":
            return (
                "("
                + " else ".join(f"({self.row(self.flat(value))}) if ({self.row(self.flat(condition))})" for value, condition in parts[1])
                + " else None)"
            )
        return "".join(map(self.read, parts))

    def read(self, node: Element) -> str:
        key = ElementTree.tostring(node)
        if key in self.names:
            value = self.values[self.names[key]]
            return str(bool(value)) if value in (sympy.true, sympy.false) else f"Rational({value.p},{value.q})"
        tag = node.tag.removeprefix(MATHML)
        if tag == "mrow":
            return self.row(self.flat(node))
        if tag == "msubsup":
            return f"{self.read(_as_symbol(node))}**({self.read(node[2])})"
        inner = [self.read(child) for child in node]
        match tag:
            case "mn":
                return f"Rational('{plain(node)}')"
            case "mi":
                return plain(node)
            case "mtext":
                return self.WORDS[plain(node).strip("\u00a0")]
            case "mo" if plain(node) == "|":
                return "abs(" if node.get("form") == "prefix" else ")"
            case "mo":
                return self.SIGNS.get(plain(node), plain(node))
            case "mfrac":
                return f"(({inner[0]})/({inner[1]}))"
            case "msup":
                return f"{inner[0]}**({inner[1]})"
            case "msqrt":
                return f"sqrt({''.join(inner)})"
        raise AssertionError(f"the formula has an unexpected <{tag}>")


def _as_symbol(node: Element) -> Element:
    """The symbol that is raised to a power."""
    bare = Element(f"{MATHML}msub")
    bare.extend(node[:2])
    return bare
