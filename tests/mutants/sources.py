"""Sources that are mutated, and the tests beside each, from the nearest on."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOMAINS = ("planar", "spatial", "mechanical1d", "hydraulic", "pneumatic", "thermal", "electrical", "signal")
KERNEL = {
    "constraints": [
        "tests/coupling/solvers/test_projected.py",
        "tests/coupling/solvers/test_index3.py",
        "tests/coupling/live/test_stabilisation.py",
        "tests/whole/test_singular_poses.py",
    ],
    "linear": [
        "tests/coupling/live/test_structures.py",
        "tests/coupling/live/test_checkpoints.py",
        "tests/whole/test_singular_poses.py",
        "tests/whole/spatial/test_redundant_machines.py",
    ],
    "events": [
        "tests/coupling/live/test_switching.py",
        "tests/coupling/live/test_events.py",
        "tests/coupling/live/test_enforcement.py",
        "tests/coupling/live/test_switched_failures.py",
        "tests/coupling/live/test_checkpoints.py",
        "tests/whole/test_switched_oracles.py",
        "tests/whole/test_loads_of_its_own.py",
        "tests/whole/test_prescribed_sides.py",
    ],
}
"""Folders of the kernel, and the tests of their callers."""
SANITIZED = ["tests/coupling/kernel/test_sanitized.py::test_every_solver_and_scheme_stays_within_its_arrays"]
NAMED = {
    "coupling/live/derivatives/bordered.py": "tests/coupling/solvers/test_index3.py",
    "coupling/live/conclusion.py": "tests/coupling/live/test_remedies.py",
    "coupling/live/dependencies.py": "tests/coupling/live/test_less_than_declared.py",
    "coupling/live/driven.py": "tests/coupling/live/test_remedies.py",
    "coupling/live/failures.py": "tests/coupling/live/test_remedies.py",
    "coupling/live/fused_structures.py": "tests/coupling/live/test_fused.py",
    "coupling/live/derivatives/jacobians.py": "tests/coupling/live/derivatives/test_turns.py",
    "coupling/live/isolation/lost_processes.py": "tests/coupling/live/isolation/test_processes.py",
    "coupling/live/derivatives/open_equations.py": "tests/coupling/solvers/test_index3_by_graph.py",
    "coupling/live/output_paths.py": "tests/coupling/live/test_streaming.py",
    "coupling/live/derivatives/parameters.py": "tests/coupling/live/derivatives/test_sensitivities.py",
    "coupling/live/program.py": "tests/coupling/live/test_start.py",
    "coupling/live/derivatives/projected.py": "tests/coupling/solvers/test_projected.py",
    "coupling/live/running.py": "tests/coupling/live/test_again.py",
    "coupling/live/session.py": "tests/coupling/live/test_again.py",
    "coupling/live/start_values.py": "tests/coupling/live/test_again.py",
    "coupling/live/violations.py": "tests/coupling/live/test_stabilisation.py",
    "coupling/live/warnings.py": "tests/coupling/live/test_remedies_of_joints.py",
    "coupling/plan/cosimulation/bonds.py": "tests/coupling/live/test_communication.py",
    "coupling/plan/build.py": "tests/coupling/plan/test_structure.py",
    "coupling/plan/enforced.py": "tests/coupling/live/test_enforcement.py",
    "coupling/plan/gravity.py": "tests/coupling/live/test_gravity.py",
    "coupling/plan/included.py": "tests/coupling/test_composition.py",
    "coupling/plan/jacobian.py": "tests/coupling/live/derivatives/test_linearise.py",
    "coupling/plan/kept.py": "tests/coupling/solvers/test_augmented_lagrangian.py",
    "coupling/plan/points.py": "tests/fmu_components/spatial/test_point_mass.py",
    "coupling/plan/projection.py": "tests/coupling/solvers/test_projected.py",
    "coupling/plan/scene.py": "tests/coupling/pictures/test_scene.py",
    "coupling/plan/schedule.py": "tests/coupling/plan/test_structure.py",
    "coupling/plan/shown.py": "tests/coupling/pictures/test_shown.py",
    "coupling/plan/switched.py": "tests/coupling/live/test_switched_components.py",
    "coupling/plan/time_scales.py": "tests/whole/test_between_steps.py",
}
"""Files in Python, and their tests where these have another name or lie in another folder."""
WHOLE = {
    "coupling/plan": ["tests/coupling/test_system.py", "tests/coupling/live/test_switched_components.py", "tests/whole/test_mechanisms.py"],
    "coupling/live": ["tests/whole/test_switched_oracles.py", "tests/whole/test_mechanisms.py"],
}
"""Folders in Python, and the tests of whole systems that pass through them."""


def sources() -> list[Path]:
    """Returns the files that are mutated, relative to the root."""
    folders = [*(f"fmu_components/{each}" for each in DOMAINS), *WHOLE]
    python = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if path.name != "__init__.py"]
    kernel = [path for folder in KERNEL for path in (ROOT / "coupling" / "kernel" / folder).glob("*.c")]
    return sorted(path.relative_to(ROOT) for path in python + kernel)


def killers_of(path: Path) -> list[list[str]]:
    """Returns the tests by which a mutant of a file may die: the file beside it, then its neighbours."""
    folder = path.parent.as_posix()
    beside = NAMED.get(path.as_posix(), f"tests/{folder}/test_{path.stem}.py")
    turns = [[beside]] if (ROOT / beside).exists() else []
    if path.suffix == ".c":
        own = [[f"tests/{folder}"]] if (ROOT / "tests" / folder).exists() else []
        return [*own, KERNEL[path.parent.name], SANITIZED]
    for whole, tests in WHOLE.items():
        if path.is_relative_to(whole):
            return [*turns, [f"tests/{whole}"], tests]
    name = f"{path.parent.name}.{path.stem}"
    every = ["tests/fmu_components/test_every_component.py", "-k", name]
    return [*turns, *filter(None, (_naming(name, f"tests/{folder}"), every, _naming(name, "tests/whole"))), [f"tests/{folder}"]]


def _naming(component: str, folder: str) -> list[str]:
    """Returns the tests of a folder that name a component."""
    texts = {path: path.read_text() for path in sorted((ROOT / folder).rglob("test_*.py"))}
    return [path.relative_to(ROOT).as_posix() for path, text in texts.items() if f'"{component}"' in text]
