"""FMUs of this library with a line more at the beginning of one of their functions; else they give the same bits."""

from __future__ import annotations

import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

from fmu_components.catalogue import all_components
from fmu_components.export.build import cached_fmu
from fmu_components.export.compile import FLAGS
from tests.support.foreign.archive import kept

CRASHES_ONCE = """
    const char *folder_ = getenv("JOURDAIN_CRASHES");
    char path_[4096];
    snprintf(path_, sizeof path_, "%s/%d", folder_ ? folder_ : "", (int)(10 * point));
    if (folder_ && !unlink(path_)) __builtin_trap();
"""
"""Code in ``fmi2DoStep`` that crashes once. It needs a folder, named by the environment, with a file whose name is ten times the time; it
removes this file."""


def with_code(component: str, function: str, code: str) -> Path:
    """The FMU of a component, in FMI 2; ``point`` is where its step begins."""
    original = cached_fmu(all_components()[component], 2)

    def make(path: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(original) as archive, zipfile.ZipFile(path, "w") as made:
            sources = [Path(archive.extract(name, scratch)) for name in archive.namelist() if name.startswith("sources/")]
            calls = next(each for each in sources if each.name == "fmi2.c")
            text, count = re.subn(rf"(fmi2Status {function}\([^)]*\)\s*\{{)", lambda found: f"{found[1]}\n{code}", calls.read_text())
            assert count == 1
            calls.write_text(f"#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n{text}")
            binary = next(name for name in archive.namelist() if name.endswith(".so"))
            library = Path(scratch) / Path(binary).name
            flags = [each for each in FLAGS if not each.startswith("-W")]
            command = ["gcc", *flags, f"-I{calls.parent}", "-shared", "-o", str(library)]
            subprocess.run([*command, *(str(each) for each in sources if each.suffix == ".c"), "-lm"], check=True)
            for name in archive.namelist():
                made.writestr(name, library.read_bytes() if name == binary else archive.read(name))

    return kept(component, f"{original.read_bytes()!r}{function}{code}", make)
