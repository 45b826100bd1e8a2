"""The kernel reads and writes nothing but what is its own: all solvers and schemes under the sanitizers of the compiler."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support import foreign
from tests.support.kernel.sanitized import ROOT, build, run_watched

# Other compilers have other sanitizers, or load them otherwise; the kernel itself is tested without them everywhere.
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the sanitizers are those of gcc: install Debian's package gcc")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("kernel"))


@pytest.mark.slow
@pytest.mark.xdist_group("sanitized 0")
def test_every_solver_and_scheme_stays_within_its_arrays(watched: Path) -> None:
    """The runs are short; the whole tests of the layer above follow with all tests."""
    done = run_watched(watched, ["-m", "tests.support.kernel.sanitized"], 300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    told = re.fullmatch(r"(\d+) runs\n", done.stdout)
    assert told and int(told[1]) >= 24


@pytest.mark.slow
@pytest.mark.xdist_group("sanitized 1")
def test_the_sanitizers_watch(watched: Path) -> None:
    """An array that is too short is found: without this the test above would pass on anything."""
    program = """
import tests.support.kernel.sanitized, numpy as np
from coupling.kernel import library
from tests.support.kernel.linear import Linear
equations = Linear([0, 1, 2], [0, 1], [0, 1])
library.linear_factorise(equations._linear, np.ones(1))
"""
    done = run_watched(watched, ["-c", program], 60)
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.xdist_group(f"sanitized {part}")) for part in range(2)])
def test_all_tests_of_the_kernel_pass_under_the_sanitizers(watched: Path, part: int) -> None:
    """The tests are those of kernel, solvers, schemes and runs, except those that start processes, or let memory run out, themselves. Each
    worker takes every other file."""
    for model in ("pendulum", "diode"):  # what CasADi loads to write an FMU does not load under a sanitizer
        foreign.casadi_dae(model)
    folders = [ROOT / "tests" / "coupling" / name for name in ("kernel", "solvers", "schemes", "live")]
    files = sorted(str(file) for folder in folders for file in folder.rglob("test_*.py"))[part::2]
    apart = "not sanitized and not memory and not interrupt and not ctrl and not process"
    plugins = ["-p", "tests.support.kernel.sanitized", "-p", "no:cacheprovider"]
    done = run_watched(watched, ["-m", "pytest", "-q", "--capture=sys", *plugins, "-m", "not slow", "-k", apart, *files], 2400)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[:6000]
    assert re.search(r"\d{3,} passed", done.stdout)
