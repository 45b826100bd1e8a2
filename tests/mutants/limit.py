"""A plugin of pytest that ends the process of a test which takes too much processor time, however busy the machine is."""

from __future__ import annotations

import math
import resource
from time import process_time

import pytest

SECONDS = 60
"""Seconds of processor time for each test; the longest ordinary one takes a tenth of them."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(process_time()) + SECONDS, most))
