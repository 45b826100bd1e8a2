"""Every benchmark runs; what it measures is not judged here."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_runtime_benchmark_prints_its_table():
    """One line per component and case, each with a ratio; the benchmark itself checks that both sides compute the same."""
    text = subprocess.run(
        [sys.executable, "benchmarks/runtime.py", "--rounds", "2000", "--repetitions", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert text[0].split()[-1] == "ratio"
    assert len(text) == 7
    for line in text[1:]:
        assert line.startswith("planar.Body") and float(line.split()[-1]) > 0


def test_the_loading_benchmark_prints_its_table():
    """One line per step, and their sum."""
    text = subprocess.run(
        [sys.executable, "benchmarks/loading.py", "--instances", "20", "--repetitions", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
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
