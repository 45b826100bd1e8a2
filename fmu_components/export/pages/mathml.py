"""Presentation MathML of variable names and equations, as they are declared: nothing is simplified or rearranged in value.

Names become symbols: ``M.theta`` a theta with the subscript M, ``p1.vx`` a v with the subscript p1,x, ``lambda[1]`` a lambda
with the subscript 1, ``der(vx)`` a v with a dot and the subscript x.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from itertools import pairwise

import sympy
from sympy.printing.printer import Printer

from fmu_components.declare.functions import ComposedBase
from fmu_components.declare.tables import Item, LeastStep, LookupBase

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
LINE = 64
"""Number of an equation's characters, approximately, that go into one line of the page."""

_GREEK = dict(
    zip(
        (
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "omicron",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
        ),
        "αβγδεζηθικλμνξοπρστυφχψω",
        strict=True,
    )
)
_GREEK |= {name.capitalize(): letter.upper() for name, letter in _GREEK.items()}
_QUANTITIES = {"energy": "E", "power": "P"}
_FUNCTIONS = {"sign": "sgn", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln", "ceiling": "ceil"}
_WITHOUT_PARENTHESES = (sympy.sin, sympy.cos, sympy.tan, sympy.log, sympy.sinh, sympy.cosh, sympy.tanh)

_MINUS = '<mo form="infix">−</mo>'
_PLUS = '<mo form="infix">+</mo>'
_NEGATIVE = '<mo form="prefix">−</mo>'
_TIMES = '<mo lspace="0.08em" rspace="0.08em">\u2062</mo>'
_DOT = '<mo lspace="0.2em" rspace="0.2em">·</mo>'
_APPLY = '<mo lspace="0em" rspace="0.1em">\u2061</mo>'
_OPEN, _CLOSE = '<mo form="prefix" stretchy="false">(</mo>', '<mo form="postfix" stretchy="false">)</mo>'
_COMMA = '<mo separator="true" lspace="0em" rspace="0.15em">,</mo>'


def symbol(name: str) -> str:
    """The symbol of a variable, as a complete inline formula."""
    return _math(_symbol(name))


def inline(expression: sympy.Basic) -> str:
    """An expression as a complete inline formula."""
    return _math(_PRINTER.doprint(expression))


def equation(name: str, expression: sympy.Basic, sign: str = "=") -> str:
    """The equation of a variable as a complete formula, broken into lines where it is long."""
    left = f"{_symbol(name)}<mo>{escape(sign)}</mo>"
    return _math(_stacked(_PRINTER.lines(expression, LINE - _width(left)), left))


def positive(expression: sympy.Basic) -> str:
    """The statement that an expression is greater than zero, as a complete inline formula."""
    return _math(f"{_PRINTER.doprint(expression)}<mo>&gt;</mo><mn>0</mn>")


def _math(content: str) -> str:
    return f'<math xmlns="{NAMESPACE}" displaystyle="true"><mrow>{content}</mrow></math>'


# -- lines -----------------------------------------------------------------------------------------------------------


def _width(markup: str) -> int:
    """Roughly how many symbols wide a formula is: signs count more, for the space around them, letters in words less."""
    texts = re.findall(r">([^<]+)<", markup)
    return round(sum(_WIDTHS.get(text, 1 if len(text) == 1 else 0.8 * len(text)) for text in texts))


_WIDTHS = {"+": 2.2, "−": 2.2, "=": 2.4, "(": 0.8, ")": 0.8, "\u2061": 0.2, "\u2062": 0.35}


def _stacked(lines: Sequence[str], left: str = "") -> str:
    """Lines below each other, the first of them beside what stands on the left."""
    if len(lines) == 1:
        return left + lines[0]
    lefts = [left] + [""] * (len(lines) - 1)
    rows = (f"<mtr>{f'<mtd>{side}</mtd>' if left else ''}<mtd>{line}</mtd></mtr>" for side, line in zip(lefts, lines, strict=True))
    return f'<mtable class="lines" displaystyle="true">{"".join(rows)}</mtable>'


# -- names -----------------------------------------------------------------------------------------------------------


@cache
def _symbol(name: str, power: str = "") -> str:
    """The markup of a variable's name, raised to a power where one is given."""
    base, dots, below = _dissect(name)
    upper = _identifier(base)
    if dots:  # not declared an accent: browsers place accents by metrics that many fonts do not have, beside the letter
        upper = f'<mover>{upper}<mo lspace="0" rspace="0" stretchy="false">{"¨" if dots == 2 else "⋅" * dots}</mo></mover>'
    lower = _COMMA.join(_identifier(part) for part in below)
    if len(below) > 1:
        lower = f"<mrow>{lower}</mrow>"
    if lower and power:
        return f"<msubsup>{upper}{lower}{power}</msubsup>"
    if lower:
        return f"<msub>{upper}{lower}</msub>"
    return f"<msup>{upper}{power}</msup>" if power else upper


def _dissect(name: str) -> tuple[str, int, list[str]]:
    """The base symbol of a name, how often it is differentiated, and its subscripts."""
    derivative = re.fullmatch(r"der\((.*)\)", name)
    if derivative:
        base, dots, below = _dissect(derivative.group(1))
        if re.fullmatch(r"qd?", derivative.group(1)):  # whose rate is a variable of its own, with the dots
            return f"d{base}/dt", dots, below
        return base, dots + 1, below
    *groups, last = name.split(".")
    if groups and groups[0] in _QUANTITIES:  # energy.kinetic is an energy, rotation.energy as well
        groups, last = [*groups[1:], last], groups[0]
    stem, *indices = _words(last)
    base, dots, own = _stem(stem)
    return base, dots, [*(word for group in groups for word in _words(group)), *own, *indices]


def _words(part: str) -> list[str]:
    """``lambda`` and ``1`` of ``lambda[1]``."""
    return re.findall(r"[^\[\],\s]+", part)


def _stem(stem: str) -> tuple[str, int, list[str]]:
    if stem in _QUANTITIES:
        return _QUANTITIES[stem], 0, []
    if re.fullmatch(r"q(d|dd)", stem):
        return "q", len(stem) - 1, []
    if "_" in stem.strip("_"):
        head, *tail = stem.split("_")
        base, dots, below = _stem(head)
        return base, dots, [*below, *tail]
    numbered = re.fullmatch(r"([A-Za-z]+)(\d+)", stem)
    if numbered:
        base, dots, below = _stem(numbered.group(1))
        return base, dots, [*below, numbered.group(2)]
    along = re.fullmatch(r"([A-Za-z]|omega|alpha|arm)([xyz]{1,2})", stem)
    if along:
        return along.group(1), 0, [along.group(2)]
    return stem, 0, []


def _identifier(text: str) -> str:
    if text.isdigit():
        return f"<mn>{text}</mn>"
    return f"<mi>{escape(_GREEK.get(text, text))}</mi>"


# -- expressions -----------------------------------------------------------------------------------------------------


class _MathML(Printer):
    """SymPy expressions as MathML, without the surrounding element."""

    # A long expression is printed whole to be measured, and then its parts again, at each level at which a line may break.
    @lru_cache(2**13)  # noqa: B019 - there is one printer, which lives as long as the module
    def _print(self, expr: sympy.Basic, **settings: object) -> str:
        return super()._print(expr, **settings)

    def emptyPrinter(self, expr: object) -> str:
        return f"<mtext>{escape(str(expr))}</mtext>"

    # numbers and symbols

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return _symbol(expr.name)

    def _print_Integer(self, expr: sympy.Integer) -> str:
        return f"<mn>{expr}</mn>" if expr >= 0 else f"<mrow>{_NEGATIVE}<mn>{-expr}</mn></mrow>"

    def _print_Rational(self, expr: sympy.Rational) -> str:
        sign = _NEGATIVE if expr < 0 else ""
        return f"<mrow>{sign}<mfrac><mn>{abs(expr.p)}</mn><mn>{expr.q}</mn></mfrac></mrow>"

    def _print_Float(self, expr: sympy.Float) -> str:
        mantissa, _, exponent = f"{float(abs(expr)):.15g}".partition("e")
        sign = _NEGATIVE if expr < 0 else ""
        power = f"<mo>×</mo><msup><mn>10</mn>{self._print_Integer(sympy.Integer(exponent))}</msup>" if exponent else ""
        return f"<mrow>{sign}<mn>{mantissa}</mn>{power}</mrow>"

    def _print_Pi(self, expr: sympy.Basic) -> str:
        return "<mi>π</mi>"

    def _print_Exp1(self, expr: sympy.Basic) -> str:
        return '<mi mathvariant="normal">e</mi>'

    def _print_Infinity(self, expr: sympy.Basic) -> str:
        return "<mi>∞</mi>"

    # sums and products

    def _print_Add(self, expr: sympy.Add) -> str:
        return "<mrow>" + "".join(sign + self._factor(body, additive=True) for sign, body in _terms(expr)) + "</mrow>"

    def _print_Mul(self, expr: sympy.Mul) -> str:
        coefficient, rest = expr.as_coeff_Mul()
        if coefficient.is_negative:
            return f"<mrow>{_NEGATIVE}{self._product(-coefficient, rest)}</mrow>"
        return self._product(coefficient, rest)

    def _product(self, coefficient: sympy.Expr, rest: sympy.Expr) -> str:
        above, below = _fraction(coefficient, rest)
        if below:
            return f"<mfrac>{self._factors(above)}{self._factors(below)}</mfrac>"
        return self._factors(above)

    def _factors(self, factors: Sequence[sympy.Expr]) -> str:
        if not factors:
            return "<mn>1</mn>"
        if len(factors) == 1:
            return f"<mrow>{self._print(factors[0])}</mrow>"
        return self._product_of(factors)

    def _product_of(self, factors: Sequence[sympy.Expr]) -> str:
        markup = self._factor(factors[0])
        for before, factor in pairwise(factors):
            apart = (_is_word(before) and _is_word(factor)) or (before.is_number and _starts_with_number(factor))
            markup += (_DOT if apart else _TIMES) + self._factor(factor)
        return f"<mrow>{markup}</mrow>"

    def _factor(self, expr: sympy.Basic, additive: bool = False) -> str:
        """A part of a product or, for ``additive``, of a sum; in parentheses where it needs them."""
        loose = isinstance(expr, (sympy.Add, sympy.Piecewise, sympy.core.relational.Relational, sympy.logic.boolalg.BooleanFunction))
        negative = not additive and _is_negative(expr)
        return self._parenthesised(expr) if loose or negative else self._print(expr)

    def _parenthesised(self, expr: sympy.Basic) -> str:
        return _enclosed(self._print(expr))

    def _print_Pow(self, expr: sympy.Pow) -> str:
        base, exponent = expr.as_base_exp()
        if exponent.is_Rational and exponent < 0:
            return f"<mfrac><mn>1</mn>{self._raised(base, -exponent)}</mfrac>"
        return self._raised(base, exponent)

    def _raised(self, base: sympy.Expr, exponent: sympy.Expr) -> str:
        if exponent == 1:
            return f"<mrow>{self._print(base)}</mrow>"
        if exponent.is_Rational and exponent.p == 1:
            root = self._print(base)
            return f"<msqrt>{root}</msqrt>" if exponent.q == 2 else f"<mroot><mrow>{root}</mrow><mn>{exponent.q}</mn></mroot>"
        power = f"<mrow>{self._print(exponent)}</mrow>"
        if isinstance(base, sympy.Symbol):
            return _symbol(base.name, power)
        if isinstance(base, _WITHOUT_PARENTHESES):
            return self._applied(base, power)
        plain = isinstance(base, (sympy.Abs, sympy.Max, sympy.Min)) or (base.is_Integer and base.is_nonnegative)
        return f"<msup>{self._print(base) if plain else self._parenthesised(base)}{power}</msup>"

    # functions

    def _print_Function(self, expr: sympy.Function) -> str:
        return self._applied(expr)

    _print_Max = _print_Min = _print_Function

    def _applied(self, expr: sympy.Function, power: str = "") -> str:
        name = type(expr).__name__
        head = f"<mi>{escape(_FUNCTIONS.get(name, name.lower() if name in ('Max', 'Min') else name))}</mi>"
        head = f"<msup>{head}{power}</msup>" if power else head
        if isinstance(expr, _WITHOUT_PARENTHESES) and isinstance(expr.args[0], sympy.Symbol):
            return f"<mrow>{head}{_APPLY}{self._print(expr.args[0])}</mrow>"
        arguments = '<mo separator="true">,</mo>'.join(self._print(argument) for argument in expr.args)
        return f"<mrow>{head}<mo>\u2061</mo>{_enclosed(arguments)}</mrow>"

    def _print_ComposedBase(self, expr: ComposedBase) -> str:
        return self._print(expr.shown)

    def _print_LookupBase(self, expr: LookupBase) -> str:
        """Writes a table as a function of its name, with primes or, of two arguments, with the letters by which it is differentiated."""
        name = str(expr.arrays[-1]).rpartition(".")[0]
        head = function = _symbol(name)
        if len(expr.orders) == 1 and expr.orders[0]:
            head = f"<msup>{function}<mo>{'′' * expr.orders[0]}</mo></msup>"
        elif any(expr.orders):
            letters = "".join(axis * order for axis, order in zip("xy", expr.orders, strict=True))
            head = f"<msub>{function}<mi>{letters}</mi></msub>"
        return f"<mrow>{head}<mo>\u2061</mo>{_enclosed(_COMMA.join(map(self._print, expr.varying)))}</mrow>"

    def _print_LeastStep(self, expr: LeastStep) -> str:
        after, before = _symbol(f"{expr.array}[k+1]"), _symbol(f"{expr.array}[k]")
        return f"<mrow><mi>min</mi><mo>\u2061</mo>{_enclosed(f'{after}<mo>−</mo>{before}')}</mrow>"

    def _print_Item(self, expr: Item) -> str:
        place = int(expr.args[0])
        return _symbol(f"{expr.array}[{place + 1 if place >= 0 else 'n'}]")

    def _print_exp(self, expr: sympy.exp) -> str:
        return f"<msup>{self._print_Exp1(expr)}<mrow>{self._print(expr.args[0])}</mrow></msup>"

    def _print_Abs(self, expr: sympy.Abs) -> str:
        return _enclosed(self._print(expr.args[0]), "||")

    # cases and conditions

    def _print_Piecewise(self, expr: sympy.Piecewise) -> str:
        rows = "".join(
            f"<mtr><mtd>{_stacked(self.lines(value, LINE - 20))}</mtd><mtd>{self._case(condition)}</mtd></mtr>"
            for value, condition in expr.args
        )
        return f'<mrow><mo form="prefix" stretchy="true">{{</mo><mtable class="cases">{rows}</mtable></mrow>'

    def _case(self, condition: sympy.Basic) -> str:
        return "<mtext>otherwise</mtext>" if condition is sympy.true else f"<mtext>if\u00a0</mtext>{self._print(condition)}"

    def _print_Relational(self, expr: sympy.core.relational.Relational) -> str:
        sign = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(expr.rel_op, expr.rel_op)
        return f"<mrow>{self._print(expr.lhs)}<mo>{escape(sign)}</mo>{self._print(expr.rhs)}</mrow>"

    def _print_And(self, expr: sympy.And) -> str:
        return self._joined(expr, "and")

    def _print_Or(self, expr: sympy.Or) -> str:
        return self._joined(expr, "or")

    def _joined(self, expr: sympy.logic.boolalg.BooleanFunction, word: str) -> str:
        parts = sorted(expr.args, key=sympy.default_sort_key)
        inner = (self._parenthesised(p) if isinstance(p, (sympy.And, sympy.Or)) else self._print(p) for p in parts)
        between = f"<mtext>\u00a0{word}\u00a0</mtext>"
        return f"<mrow>{between.join(inner)}</mrow>"

    def _print_Not(self, expr: sympy.Not) -> str:
        inner = expr.args[0]
        markup = self._print(inner) if isinstance(inner, sympy.Symbol) else self._parenthesised(inner)
        return f"<mrow><mtext>not\u00a0</mtext>{markup}</mrow>"

    def _print_BooleanTrue(self, expr: sympy.Basic) -> str:
        return "<mtext>true</mtext>"

    def _print_BooleanFalse(self, expr: sympy.Basic) -> str:
        return "<mtext>false</mtext>"

    # long expressions

    def lines(self, expr: sympy.Basic, room: int) -> list[str]:
        """The expression, broken into lines where it needs more room than there is; lines inside parentheses are indented."""
        lines: list[str] = []
        left = 0.0
        for depth, fragment in self._fragments(expr, room):
            width = _width(fragment)
            if lines and width <= left:
                lines[-1] += fragment
            else:
                lines.append((f'<mspace width="{1.2 * depth:g}em"/>' if lines and depth else "") + fragment)
                left = room - 2 * depth
            left -= width
        return lines

    def _fragments(self, expr: sympy.Basic, room: int, depth: int = 0) -> list[tuple[int, str]]:
        """Pieces that may start a line, with the number of parentheses around them.

        They start at the signs of sums, also of sums inside products.
        """
        markup = self.doprint(expr)
        if _width(markup) > room:
            if isinstance(expr, sympy.Add):
                pieces = []
                for sign, body in _terms(expr):
                    whole = [(depth, self._parenthesised(body))]
                    (_, first), *others = whole if isinstance(body, sympy.Add) else self._fragments(body, room, depth)
                    pieces += [(depth, sign + first), *others]
                return pieces
            if isinstance(expr, sympy.Mul) and any(isinstance(factor, sympy.Add) for factor in _fraction(*expr.as_coeff_Mul())[0]):
                return self._fragments_of_product(expr, room, depth)
        return [(depth, markup)]

    def _fragments_of_product(self, expr: sympy.Mul, room: int, depth: int) -> list[tuple[int, str]]:
        """A product around its longest sum, whose divisor goes in front so that the sum can be broken."""
        coefficient, rest = expr.as_coeff_Mul()
        above, below = _fraction(abs(coefficient), rest)
        longest = max((factor for factor in above if isinstance(factor, sympy.Add)), key=lambda factor: _width(self._print(factor)))
        at = above.index(longest)
        before, after = above[:at], above[at + 1 :]
        head = _NEGATIVE if coefficient.is_negative else ""
        if below:
            head += f"<mfrac>{self._factors(before)}{self._factors(below)}</mfrac>{_TIMES}"
        elif before:
            head += self._product_of(before) + _TIMES
        tail = _CLOSE + (_TIMES + self._product_of(after) if after else "")
        (_, first), *others = self._fragments(longest, room, depth + 1)
        pieces = [(depth, head + _OPEN + first), *others]
        pieces[-1] = (pieces[-1][0], pieces[-1][1] + tail)
        return pieces


_PRINTER = _MathML()


def _enclosed(inner: str, fences: str = "()") -> str:
    """Markup in parentheses, which grow with what is higher than a line."""
    opening, closing = _OPEN.replace("(", fences[0]), _CLOSE.replace(")", fences[1])
    if "<mfrac" in inner or "<mtable" in inner:
        opening, closing = opening.replace("false", "true"), closing.replace("false", "true")
    return f"<mrow>{opening}{inner}{closing}</mrow>"


@lru_cache(2**13)
def _terms(expr: sympy.Add) -> list[tuple[str, sympy.Expr]]:
    """The terms of a sum with their signs; a positive one comes first where there is one, as one writes by hand."""
    terms = []
    for term in expr.as_ordered_terms():
        negative = _is_negative(term)
        terms.append((negative, -term if negative else term))
    lead = next((index for index, (negative, _) in enumerate(terms) if not negative), 0)
    terms.insert(0, terms.pop(lead))
    first = (_NEGATIVE if terms[0][0] else "", terms[0][1])
    return [first, *((_MINUS if negative else _PLUS, body) for negative, body in terms[1:])]


def _is_negative(term: sympy.Basic) -> bool:
    return isinstance(term, sympy.Expr) and bool(term.as_coeff_Mul()[0].is_negative)


def _starts_with_number(factor: sympy.Expr) -> bool:
    return bool(factor.is_number or (factor.is_Pow and factor.base.is_number))


def _is_word(factor: sympy.Expr) -> bool:
    base = factor.base if isinstance(factor, sympy.Pow) else factor
    stem = _dissect(base.name)[0] if isinstance(base, sympy.Symbol) else ""
    return len(_GREEK.get(stem, stem)) > 1


def _fraction(coefficient: sympy.Expr, rest: sympy.Expr) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
    """The factors above and below the line; functions last, since their arguments stand without parentheses."""
    over, under = coefficient.as_numer_denom() if coefficient.is_Rational else (coefficient, sympy.Integer(1))
    above, below = [factor for factor in (over,) if factor != 1], [factor for factor in (under,) if factor != 1]
    for factor in rest.as_ordered_factors() if isinstance(rest, sympy.Mul) else [rest]:
        base, exponent = factor.as_base_exp() if isinstance(factor, sympy.Pow) else (factor, sympy.Integer(1))
        if exponent.is_Rational and exponent < 0:
            below.append(base**-exponent)
        elif factor != 1:
            above.append(factor)
    return sorted(above, key=_is_applied), sorted(below, key=_is_applied)


def _is_applied(factor: sympy.Expr) -> bool:
    base = factor.base if isinstance(factor, sympy.Pow) else factor
    return isinstance(base, _WITHOUT_PARENTHESES)
