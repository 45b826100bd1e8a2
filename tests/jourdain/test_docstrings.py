"""Docstrings of the public interface say what goes in: each parameter is named, by the method itself or once for all methods of its class."""

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

OWN = ("coupling", "fmu_components", "jourdain")
EXCEPTIONS: set[tuple[str, str]] = set()
"""Name and parameter or field without an explanation: at most 20. The set only shrinks."""


def callables() -> Iterator[tuple[str, Any, str]]:
    """Yields the name of each public function and method of this project, itself, and the docstrings that may explain its parameters."""
    for name in sorted(jourdain.__all__):
        value = getattr(jourdain, name)
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


def bare_fields(source: str) -> list[str]:
    """Returns the public fields of classes in a source that no docstring follows; constants are no fields."""
    found = []
    for node in ast.walk(ast.parse(source)):
        body = node.body if isinstance(node, ast.ClassDef) else []
        for field, after in zip_longest(body, body[1:]):
            named = isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and re.match("[a-z]", field.target.id)
            if named and not (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)):
                found.append(field.target.id)
    return found


DATA = [name for name in sorted(jourdain.__all__) if is_dataclass(getattr(jourdain, name))]


@pytest.mark.parametrize("name", DATA)
def test_each_field_is_described(name: str) -> None:
    """The class describes it, or a docstring of its own, as tools for documentation read it."""
    value = getattr(jourdain, name)
    text = inspect.getdoc(value) or ""
    bare = [each for each in bare_fields(inspect.getsource(value)) if not re.search(rf"\b{each}\b", text)]
    assert text and {(name, each) for each in bare} - EXCEPTIONS == set()


def test_exceptions_are_few() -> None:
    assert len(EXCEPTIONS) <= 20


def test_gaps_are_found() -> None:
    def some(first: int, second: int) -> None:
        """Takes a first number."""

    assert unnamed(some, some.__doc__ or "") == ["second"]
    assert bare_fields('class A:\n    x: int\n    y: int = 1\n    """Length."""\n    _z: int\n    w: int\n') == ["x", "w"]
