"""Generated code reads and writes nothing but its workspace and its data: under the sanitizers for addresses and undefined behaviour."""

from __future__ import annotations

import shutil
import subprocess
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from coupling.fused import written
from coupling.fused.roots import Region
from coupling.fused.taped import EVALUATION, Stages, Taped
from coupling.fused.written import as_c
from coupling.plan.build import build
from coupling.plan.kinds import Mode
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


def code_of() -> Taped:
    return Stages(build(chain(3).definition, Mode.CONTINUOUS)).written(as_c)


def filled(code: Taped) -> np.ndarray:
    """A workspace with states and parameters at which nothing is singular."""
    w, end = np.array(code.initial), code.first[Region.UNKNOWNS]
    w[:end] = np.linspace(0.4, 1.3, end)
    return w


def program(code: Taped, folder: Path, size: int) -> Path:
    """All stages on a workspace of a size, and on copies of their data, in memory of their own."""
    data = {stage.name.lower(): code.code.get(stage) for stage in EVALUATION}
    arrays = [f"static const int {name}[] = {{{', '.join(map(str, each))}}};" for name, each in data.items() if each is not None]
    given = {name: "NULL" if each is None else f"copy({name}, sizeof {name})" for name, each in data.items()}
    calls = [f"    void *of_{name} = {each};\n    jourdain_{name}(of_{name}, w);\n    free(of_{name});" for name, each in given.items()]
    numbers = ", ".join("0.0/0.0" if np.isnan(each) else repr(float(each)) for each in filled(code))
    main = MAIN.format(arrays="\n".join(arrays), initial=numbers, calls="\n".join(calls), size=size)
    (folder / "code.c").write_text(code.text + main)
    subprocess.run(["gcc", *FLAGS, "-o", str(folder / "code"), str(folder / "code.c"), "-lm"], check=True)
    return folder / "code"


run = partial(subprocess.run, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("straight", [3000, 0], ids=["straight", "loops"])
def test_generated_code_stays_within_its_workspace(straight, tmp_path, monkeypatch):
    monkeypatch.setattr(written, "STRAIGHT", straight)
    code = code_of()
    assert bool({*code.code} & {*EVALUATION}) is (straight == 0)
    done = run([str(program(code, tmp_path, code.x_read))])
    assert done.returncode == 0, done.stderr[-3000:]
    w = np.array([float(line) for line in done.stdout.split()])
    assert np.isfinite(w[[max(slot, -2 - slot) for slot in code.derivatives if slot != -1]]).all()


def test_the_sanitizers_watch(tmp_path):
    """A workspace that ends before what constraints are read from, and is too short by one, is found: without this the test above would pass on anything."""
    code = code_of()
    done = run([str(program(code, tmp_path, code.x_read - 1))])
    assert done.returncode != 0 and "heap-buffer-overflow" in done.stderr
