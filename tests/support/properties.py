"""Several properties of one object, checked in one test: all that fail are reported by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest


def check_all(*properties: Callable[..., None], **given: object) -> None:
    """Calls every property with the arguments that it names, and raises the failures of all as one group whose message lists their names."""
    failures: list[BaseException] = []
    names = []
    for check in properties:
        try:
            check(**{name: given[name] for name in inspect.signature(check).parameters if name in given})
        except (Exception, pytest.fail.Exception) as failure:
            failures.append(failure)
            names.append(check.__name__)
    if failures:
        raise BaseExceptionGroup(f"these properties do not hold: {', '.join(names)}", failures)
