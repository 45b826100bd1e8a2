"""Generated code reads and writes nothing but its workspace and its data: under the sanitizers for addresses and undefined behaviour."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from coupling import System
from coupling.fused import compiled, written
from coupling.fused.open_loops import slopes
from coupling.fused.recorded import recorded
from coupling.fused.stages import Region
from coupling.fused.taped import EVALUATION, Stages, Taped
from coupling.fused.written import as_c
from coupling.kernel.equations.fused import Stage
from coupling.plan.build import Built, build
from coupling.plan.kinds import Mode
from coupling.plan.outputs import recordable
from tests.coupling.fused.test_examples import example
from tests.coupling.fused.test_recursion import planar
from tests.support.fused.chains import chain

# Other compilers have other sanitizers; what is generated is tested without them everywhere.
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the sanitizers are those of gcc: install Debian's package gcc")
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g1", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{arrays}
static const double initial[] = {{{initial}}};
__attribute__((unused)) static void *copy(const void *from, size_t size)
{{
    void *to = malloc(size);
    memcpy(to, from, size);
    return to;
}}
int main(void)
{{
    double *w = malloc({size} * sizeof *w);
    memcpy(w, initial, {size} * sizeof *w);
{calls}
    for (int i = 0; i < {size}; i++)
        printf("%.17g\\n", w[i]);
    free(w);
    return 0;
}}
"""


@dataclass(frozen=True)
class Generated:
    """Functions in their order, with their data, and the workspace that they begin with."""

    text: str
    data: Mapping[str, np.ndarray | None]
    w: np.ndarray


def filled(initial: np.ndarray, end: int) -> np.ndarray:
    """A workspace with numbers from outside, at which nothing is singular."""
    w = np.array(initial)
    w[:end] = np.linspace(0.4, 1.3, end)
    return w


def evaluation(built: Built) -> tuple[Taped, Generated]:
    code = Stages(built).written(as_c)
    w = filled(code.initial, code.first[Region.UNKNOWNS])[: code.x_read]
    return code, Generated(code.text, {stage.name.lower(): code.code.get(stage) for stage in EVALUATION}, w)


def jacobian(built: Built) -> Generated:
    code = slopes(built, as_c)
    return Generated(code.text, {"slopes": code.code if len(code.code) else None}, filled(code.initial, code.given))


def record(built: Built) -> Generated:
    """Returns the code that records all variables."""
    wanted = [built.address(part, name) for part, each in enumerate(built.parts) for name in recordable(built)[each.name]]
    code, stages = recorded(built, wanted, as_c), (Stage.PREPARE, Stage.AFTER)
    end = max(code.first.values()) + sum(len(loop.unknowns) for loop in built.schedule.loops)
    return Generated(code.text, {stage.name.lower(): code.code.get(stage) for stage in stages}, filled(code.initial, end))


def program(code: Generated, folder: Path, size: int) -> Path:
    """All functions on a workspace of a size, and on copies of their data, in memory of their own."""
    arrays = [f"static const int {name}[] = {{{', '.join(map(str, each))}}};" for name, each in code.data.items() if each is not None]
    given = {name: "NULL" if each is None else f"copy({name}, sizeof {name})" for name, each in code.data.items()}
    calls = [f"    void *of_{name} = {each};\n    jourdain_{name}(of_{name}, w);\n    free(of_{name});" for name, each in given.items()]
    numbers = ", ".join("0.0/0.0" if np.isnan(each) else repr(float(each)) for each in code.w)
    main = MAIN.format(arrays="\n".join(arrays), initial=numbers, calls="\n".join(calls), size=size)
    (folder / "code.c").write_text(compiled._whole(code.text) + main)
    subprocess.run(["gcc", *FLAGS, "-o", str(folder / "code"), str(folder / "code.c"), "-lm"], check=True)
    return folder / "code"


def run(code: Generated, folder: Path, size: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(program(code, folder, size))], capture_output=True, text=True, timeout=60)


def small(bodies: int = 3) -> tuple[Taped, Generated]:
    return evaluation(build(chain(bodies).definition, Mode.CONTINUOUS))


@pytest.mark.parametrize(("straight", "bodies"), [(3000, 3), (0, 3), (0, 24)], ids=["straight", "loops", "loops by several"])
def test_generated_code_stays_within_its_workspace(straight, bodies, tmp_path, monkeypatch):
    monkeypatch.setattr(written, "STRAIGHT", straight)
    taped_code, code = small(bodies)
    assert any(each is not None for each in code.data.values()) is (straight == 0)
    assert ("const long at" in code.text) is (bodies > 3)
    done = run(code, tmp_path, len(code.w))
    assert done.returncode == 0, done.stderr[-3000:]
    w = np.array([float(line) for line in done.stdout.split()])
    assert np.isfinite(w[[max(slot, -2 - slot) for slot in taped_code.slots["derivative"] if slot != -1]]).all()


GENERATED: dict[str, Callable[[Built], Generated]] = {
    "evaluation": lambda built: evaluation(built)[1],
    "jacobian": jacobian,
    "record": record,
}
EXAMPLES = ("03_seven_body_mechanism", "06_hydraulic_crane", "13_heavy_top", "21_rolling_disc", "32_clutch", "34_newtons_cradle")
SPREAD: dict[str, Callable[[], System]] = {"tree of blocks": planar}
SPREAD |= {name: partial(lambda each: example(each).system(), name) for name in EXAMPLES}


@pytest.mark.slow
@pytest.mark.parametrize("straight", [3000, 0], ids=["straight", "loops"])
@pytest.mark.parametrize("kind", GENERATED)
@pytest.mark.parametrize("name", SPREAD)
def test_so_does_that_of_all_kinds_of_systems(name, kind, straight, tmp_path, monkeypatch):
    """The sanitizers find nothing. Other tests compare the numbers."""
    monkeypatch.setattr(written, "STRAIGHT", straight)
    code = GENERATED[kind](build(SPREAD[name]().definition, Mode.CONTINUOUS))
    done = run(code, tmp_path, len(code.w))
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(done.stdout.split()) == len(code.w)


def test_the_sanitizers_watch(tmp_path):
    """A workspace that ends before what constraints are read from, and is too short by one, is found: without this the tests above would pass on
    anything."""
    _, code = small()
    done = run(replace(code, w=code.w[:-1]), tmp_path, len(code.w) - 1)
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr
