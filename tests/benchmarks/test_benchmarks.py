"""Every benchmark runs; what it measures is not judged here."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def printed(script: str, *options: str) -> list[str]:
    """What a benchmark prints, line by line."""
    command = [sys.executable, f"benchmarks/{script}.py", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_runtime_benchmark_prints_its_table():
    """One line per component and case, each with a ratio; the benchmark itself checks that both sides compute the same."""
    text = printed("runtime", "--rounds", "2000", "--repetitions", "1")
    assert text[0].split()[-1] == "ratio"
    assert len(text) == 7
    for line in text[1:]:
        assert line.startswith("planar.Body") and float(line.split()[-1]) > 0


def test_the_loading_benchmark_prints_its_table():
    """One line per step, and their sum."""
    text = printed("loading", "--instances", "20", "--repetitions", "1")
    assert text[0] == "20 instances of planar.Body1"
    assert [line.split("  ")[0] for line in text[1:]] == [
        "read",
        "add",
        "build",
        "start, all variables recorded",
        "start, one recorded",
        "all, without the last",
    ]
    assert all(float(line.split()[-2]) > 0 for line in text[1:])


def test_the_seven_body_benchmark_compares_with_one_c_function_and_with_exudyn():
    """Both compute the same motion: at the same tolerance the errors agree to two digits, and both to what Exudyn is held against."""
    text = printed("andrews", "--repetitions", "1", "--exudyn-steps", "300")
    at_the_first_tolerance = [line[44:56].strip() for line in text[2:5]]
    assert sum("coupled FMUs" in line for line in text) == 5
    assert len(set(at_the_first_tolerance)) == 1 and float(at_the_first_tolerance[0]) < 1e-4
    assert float(text[-1].split()[-1]) > 0


def test_the_chain_benchmark_prints_its_table():
    """Two sizes of two mechanisms, with the exponent between them."""
    text = printed("chain", "--bodies", "3", "9", "--seconds", "0.01", "--repetitions", "1")
    assert [line.split()[:2] for line in text[1:]] == [["chain", "3"], ["chain", "9"], ["N-four-bar", "3"], ["N-four-bar", "9"]]
    assert -1 < float(text[2].split()[-3]) < 2
