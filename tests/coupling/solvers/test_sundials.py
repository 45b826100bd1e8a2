"""Common parts of CVODE and IDA: the matrix that they factorise, and what they print."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from coupling import System
from coupling.live.derivatives.linearise import NoDerivative
from coupling.solvers.base.sundials import LastKnown, Matrix
from tests.support import foreign


@pytest.mark.parametrize(("size", "kind"), [(5, "dense"), (60, "dense"), (61, "sparse"), (500, "sparse")])
def test_large_matrices_with_few_entries_are_sparse(size: int, kind: str) -> None:
    """Values come in any order of places, and end where these say."""
    random = np.random.default_rng(0)
    places = random.permutation(size * size)[: 3 * size]
    rows, columns, values = places // size, places % size, random.uniform(1, 2, 3 * size)
    matrix = Matrix.of(size, rows, columns)
    assert matrix.options["linsolver"] == kind
    expected = np.zeros((size, size))
    expected[rows, columns] = values
    if kind == "dense":
        filled = np.zeros((size, size))
        matrix.fill(filled, values)
    else:
        pattern = matrix.options["sparsity"].copy()
        matrix.fill(pattern.data, values)
        filled = pattern.toarray()
    np.testing.assert_array_equal(filled, expected)


def test_large_matrices_with_many_entries_are_dense() -> None:
    """They are dense if a fifth of the entries or more are non-zero; LAPACK factorises large ones."""
    rows, columns = np.indices((100, 100)).reshape(2, -1)
    assert Matrix.of(100, rows, columns).options == {"linsolver": "lapackdense"} == Matrix.full(100).options


def test_a_jacobian_keeps_its_last_value_where_it_has_none() -> None:
    """It keeps it after a discard. An error stays an error, and so does a discard before the first value."""
    answers: list[object] = [NoDerivative("no", True), np.ones(1), NoDerivative("no", True), NoDerivative("never", False)]

    def jacobian() -> np.ndarray:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, np.ndarray)
        return answer

    ask = LastKnown(jacobian)
    with pytest.raises(NoDerivative, match="no"):
        ask()
    assert ask() == ask() == 1
    with pytest.raises(NoDerivative, match="never"):
        ask()


def test_what_a_users_function_prints_is_printed(capsys: pytest.CaptureFixture) -> None:
    """Only what scikit-sundae prints about failures is left out, which the outcome says better."""
    system = System()
    system.add("it", foreign.oscillator())
    system.drive("it.u", lambda t: print(f"at {t}") or 0.0)  # type: ignore[func-returns-value]
    system.simulate(0.01, solver="cvode", rtol=1e-3)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) > 3 and all(line.startswith("at ") for line in printed)


@pytest.mark.slow
def test_its_libraries_run_on_one_thread_and_the_environment_stays_as_it_is() -> None:
    """Several wait for each other actively, which makes small matrices slow by a factor of ten."""
    code = (
        "import os\nbefore = dict(os.environ)\n"
        "from coupling.solvers.base.sundials import load\n"
        "assert load('CVODE').__name__ == 'CVODE' and load('IDA').__name__ == 'IDA'\n"
        "assert dict(os.environ) == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "OMP_NUM_THREADS": "2"})
    subprocess.run([sys.executable, "-c", code], check=True)
