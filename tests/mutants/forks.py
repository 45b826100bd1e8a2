"""A process that forks for each run of tests, with the packages that most tests import: imports take longer than most tests."""

from __future__ import annotations

import json
import os
import sys

import numpy  # noqa: F401
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.sparse.linalg  # noqa: F401
import sympy  # noqa: F401


def main() -> None:
    """Reads arguments of pytest and a file for its output from each line; answers with the process of the run, then with its exit code."""
    for line in sys.stdin:
        arguments, output = json.loads(line)
        process = os.fork()
        if process == 0:
            _run(arguments, output)
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _run(arguments: list[str], output: str) -> None:
    """Runs tests in a session of its own, which ends with this process."""
    os.setsid()
    with open(os.devnull, "r+b", 0) as nowhere, open(output, "wb", 0) as file:
        for number, target in enumerate((nowhere, file, nowhere)):
            os.dup2(target.fileno(), number)
    code = pytest.main(arguments)
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
