"""Docstrings of the public interface say what goes in and comes out, with units and errors, by the method itself or once for its class."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from itertools import zip_longest
from typing import Any

import pytest

import jourdain
from jourdain.gym import environment

OWN = ("coupling", "fmu_components", "jourdain")
EXCEPTIONS: set[tuple[str, str]] = set()
"""Name and parameter or field without an explanation: at most 20. The set only shrinks."""


def callables() -> Iterator[tuple[str, Any, str]]:
    """Yields the name of each public function and method of this project, itself, and the docstrings that may explain its parameters."""
    for name, value in (*((each, getattr(jourdain, each)) for each in sorted(jourdain.__all__)), ("gym.environment", environment)):
        if inspect.isfunction(value):
            yield name, value, inspect.getdoc(value) or ""
        if not inspect.isclass(value):
            continue
        shared = " ".join(each.__doc__ or "" for each in value.__mro__ if each.__module__.startswith(OWN))
        for own, method in inspect.getmembers(value, lambda each: inspect.isfunction(each) or inspect.ismethod(each)):
            if not own.startswith("_") and method.__module__.startswith(OWN):
                yield f"{name}.{own}", method, f"{inspect.getdoc(method) or ''} {shared}"


def unnamed(function: Any, text: str) -> list[str]:
    """Returns the parameters that a text does not name."""
    return [each for each in inspect.signature(function).parameters if each != "self" and not re.search(rf"\b{each}\b", text)]


def test_each_parameter_is_named() -> None:
    found = list(callables())
    missing = {(name, each) for name, function, text in found for each in unnamed(function, text)}
    assert len(found) > 100 and missing - EXCEPTIONS == set()
    assert [name for name, function, _ in found if not function.__doc__] == []


def fields(source: str) -> Iterator[tuple[str, str, str]]:
    """Yields name, type and docstring of the public fields of classes in a source; constants are no fields."""
    for node in ast.walk(ast.parse(source)):
        body = node.body if isinstance(node, ast.ClassDef) else []
        for field, after in zip_longest(body, body[1:]):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and re.match("[a-z]", field.target.id):
                described = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                yield field.target.id, ast.unparse(field.annotation), str(after.value.value) if described else ""


def bare_fields(source: str) -> list[str]:
    """Returns the public fields that no docstring follows."""
    return [name for name, _, text in fields(source) if not text]


UNIT = r"(?i)seconds?|\(s\)|\bin s\b|\b(Hz|rad|m|bytes)\b|1/s|\bunits?\b|relative|dimensionless|factor|share|tolerance"
"""Words that give the unit of a quantity, or say that it has none."""
QUANTITY = r"\b(float|complex|ndarray)\b"


def unitless(function: Any, text: str) -> list[str]:
    """Returns the parameters that are quantities, but have no unit in any sentence that names them."""
    sentences = re.split(r"(?<=[.])\s", text)
    quantities = [each.name for each in inspect.signature(function).parameters.values() if re.search(QUANTITY, str(each.annotation))]
    return [name for name in quantities if not any(re.search(rf"\b{name}\b", each) and re.search(UNIT, each) for each in sentences)]


def test_each_quantity_has_its_unit() -> None:
    assert {(name, each) for name, function, text in callables() for each in unitless(function, text)} == set()


def test_each_result_is_named() -> None:
    """A function starts with a verb. If it returns a value, its docstring says which; all its parameters have types."""
    untyped, silent, verbless = [], [], []
    for name, function, text in callables():
        found = inspect.signature(function)
        untyped += [(name, each.name) for each in found.parameters.values() if each.annotation is each.empty and each.name != "self"]
        if found.return_annotation not in (None, "None", "bool") and not re.search(r"\b[Rr]eturns?\b", text):
            silent.append(name)
        if not re.match(r"[A-Z][a-z]+s\b", inspect.getdoc(function) or ""):
            verbless.append(name)
    assert (untyped, silent, verbless) == ([], [], [])


DATA = [name for name in sorted(jourdain.__all__) if is_dataclass(getattr(jourdain, name))]


@pytest.mark.parametrize("name", DATA)
def test_each_field_is_described(name: str) -> None:
    """The class describes it, or a docstring of its own, as tools for documentation read it; quantities have units."""
    value = getattr(jourdain, name)
    text = inspect.getdoc(value) or ""
    bare = [each for each in bare_fields(inspect.getsource(value)) if not re.search(rf"\b{each}\b", text)]
    assert text and {(name, each) for each in bare} - EXCEPTIONS == set()
    quantities = [(each, said or text) for each, kind, said in fields(inspect.getsource(value)) if re.search(QUANTITY, kind)]
    assert [each for each, said in quantities if not re.search(UNIT, said)] == []


def test_exceptions_are_few() -> None:
    assert len(EXCEPTIONS) <= 20


def test_gaps_are_found() -> None:
    def some(first: int, second: int) -> None:
        """Takes a first number."""

    def length(a: float, b: float | None) -> None:
        """Takes ``a``, a length. Takes ``b`` in m."""

    assert unnamed(some, some.__doc__ or "") == ["second"] and unitless(length, length.__doc__ or "") == ["a"]
    assert bare_fields('class A:\n    x: int\n    y: int = 1\n    """Length."""\n    _z: int\n    w: int\n') == ["x", "w"]
