"""Sources that are mutated, and the tests beside each, from the nearest on."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOMAINS = ("planar", "spatial", "mechanical1d", "hydraulic", "electrical", "signal")
KERNEL = {
    "constraints": [
        "tests/coupling/solvers/test_projected.py",
        "tests/coupling/solvers/test_index3.py",
        "tests/coupling/live/test_stabilisation.py",
        "tests/whole/test_singular_poses.py",
    ],
    "linear": [
        "tests/coupling/live/test_structures.py",
        "tests/whole/test_singular_poses.py",
        "tests/whole/spatial/test_redundant_machines.py",
    ],
    "events": ["tests/coupling/live/test_switching.py", "tests/coupling/live/test_events.py", "tests/whole/test_switched_oracles.py"],
}
"""Folders of the kernel, and the tests of their callers."""
WHOLE = {
    "coupling/plan": ["tests/coupling/test_system.py", "tests/coupling/live/test_switched_components.py", "tests/whole/test_mechanisms.py"],
    "coupling/live": ["tests/whole/test_switched_oracles.py", "tests/whole/test_mechanisms.py"],
}
"""Folders in Python, and the tests of whole systems that pass through them."""


def sources() -> list[Path]:
    """Returns the files that are mutated, relative to the root."""
    folders = [*(f"fmu_components/{each}" for each in DOMAINS), *WHOLE]
    python = [path for folder in folders for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]
    kernel = [path for folder in KERNEL for path in (ROOT / "coupling" / "kernel" / folder).glob("*.c")]
    return sorted(path.relative_to(ROOT) for path in python + kernel)


def killers_of(path: Path) -> list[list[str]]:
    """Returns the tests by which a mutant of a file may die: the file beside it, then its neighbours."""
    folder = path.parent.as_posix()
    beside = ROOT / "tests" / folder / f"test_{path.stem}.py"
    turns = [[beside.relative_to(ROOT).as_posix()]] if beside.exists() else []
    if path.suffix == ".c":
        own = [f"tests/{folder}"] if (ROOT / "tests" / folder).exists() else []
        return [own, KERNEL[path.parent.name]] if own else [KERNEL[path.parent.name]]
    if folder in WHOLE:
        return [*turns, [f"tests/{folder}"], WHOLE[folder]]
    name = f"{path.parent.name}.{path.stem}"
    used = [each.relative_to(ROOT).as_posix() for each in sorted((ROOT / "tests" / "whole").rglob("test_*.py")) if name in each.read_text()]
    return [*turns, [f"tests/{folder}"], ["tests/fmu_components/test_every_component.py", *used]]
