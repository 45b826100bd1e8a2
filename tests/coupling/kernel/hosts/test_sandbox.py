"""A process in a sandbox can do what an FMU needs, and nothing to anybody else. A hostile program tries: ``tests/support/kernel/hostile.c``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from coupling.kernel.hosts import sandbox

KERNEL = Path(sandbox.__file__).parents[1]
HOSTILE = Path(__file__).parents[3] / "support" / "kernel" / "hostile.c"
# Older kernels, and containers that filter its system calls, have no Landlock; there a sandbox is refused, which is tested as well.
needs_landlock = pytest.mark.skipif(bool(sandbox.lacks()), reason=sandbox.lacks())


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile") / "hostile"
    command = [
        "cc",
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{KERNEL}",
        str(HOSTILE),
        str(KERNEL / "hosts" / "sandbox.c"),
        "-o",
        str(made),
    ]
    subprocess.run([*command, "-lpthread", "-ldl"], check=True)
    return made


@needs_landlock
def test_each_attempt_of_a_hostile_program_fails(hostile: Path, tmp_path: Path) -> None:
    """The sandbox permits everything that an FMU needs."""
    own, readable, outside = (tmp_path / name for name in ("own", "readable", "outside"))
    for folder in (own, readable, outside):
        folder.mkdir()
    (own / "mine").touch()
    (readable / "data").write_text("data")
    (outside / "letter").write_text("dear")
    command = [str(hostile), str(own), str(readable), str(outside / "letter"), str(outside)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    left, refused = (part.strip().splitlines() for part in said.split("--\n"))
    assert len(left) == 8 and [each for each in left if not each.endswith(": done")] == []
    assert len(refused) == 23
    assert [each for each in refused if each.rpartition(": ")[2] not in ("EACCES", "EXDEV", "EPERM")] == []
    assert (outside / "letter").read_text() == "dear"
    assert [each.name for each in outside.iterdir()] == ["letter"]
    assert sorted(each.name for each in own.iterdir()) == ["mine", "new"]


@needs_landlock
def test_a_folder_that_is_not_there_is_named(hostile: Path, tmp_path: Path) -> None:
    """Rather than left out, which would end in a puzzling refusal later."""
    missing = tmp_path / "missing"
    done = subprocess.run([str(hostile), str(missing), str(tmp_path), "file", str(tmp_path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, f"files cannot be kept apart: {missing}: No such file or directory\n")


def test_a_kernel_without_landlock_is_told_apart(tmp_path: Path) -> None:
    """A system call that does not exist stands for one: the sentence says what is missing, and nothing weaker is done."""
    source = tmp_path / "without.c"
    source.write_text((KERNEL / "hosts" / "sandbox.c").read_text().replace("CREATE_RULESET = 444", "CREATE_RULESET = 999"))
    main = tmp_path / "main.c"
    main.write_text(
        '#include "hosts/sandbox.h"\n#include <stdio.h>\nint main(void) { char p[512]; const char *none[] = {0}; int r = sandbox_enter(none, none, p, sizeof p);'
        " puts(p); return r == 0; }"
    )
    subprocess.run(["cc", "-std=c11", f"-I{KERNEL}", str(source), str(main), "-o", str(tmp_path / "main")], check=True)
    done = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (
        0,
        "the kernel of this system has no Landlock, or it is turned off (Function not implemented)\n",
    )
