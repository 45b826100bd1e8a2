"""Names of FMU variables in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

import sympy

_GREEK = ("alpha", "beta", "gamma", "theta", "lambda", "phi", "omega")


def latex_names(symbols: Iterable[sympy.Symbol]) -> dict[sympy.Symbol, str]:
    """Returns how symbols are written: ``rod.der(omega)`` as a derivative of omega with the index rod."""
    return {symbol: _written(symbol.name) for symbol in symbols}


def _written(name: str) -> str:
    rate = re.fullmatch(r"(.*?\.)?der\((.*)\)", name)
    if rate:
        return _indexed(rate[2], (rate[1] or "").rstrip("."), r"\dot{%s}")
    owner, _, last = name.rpartition(".")
    return _indexed(last, owner, "%s")


def _indexed(variable: str, owner: str, form: str) -> str:
    base, index = re.fullmatch(r"([^\[]*)(?:\[(.*)\])?", variable).groups()  # type: ignore[union-attr]
    greek = next((each for each in _GREEK if base.startswith(each)), None)
    letter, rest = (rf"\{greek}", base[len(greek) :]) if greek else (base[:1], base[1:])
    indices = [rf"\mathrm{{{each}}}" for each in (rest, owner.replace("_", r"\_"), index) if each]
    return form % letter + (f"_{{{','.join(indices)}}}" if indices else "")
