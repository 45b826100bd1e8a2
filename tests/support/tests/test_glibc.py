"""The reader of ELF files finds what readelf prints; a wheel with a tag that is too old is refused."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import coupling.kernel
from tests.support.glibc import complaints, glibc_needed, glibc_promised, main

KERNEL = Path(coupling.kernel.__file__).parent
LIBRARY = KERNEL / "_core.so"


@pytest.mark.parametrize("file", [LIBRARY, KERNEL / "jourdain-host", Path(sys.executable).resolve()], ids=lambda path: path.name)
def test_the_newest_version_is_that_of_readelf(file: Path) -> None:
    printed = subprocess.run(["readelf", "-VW", file], capture_output=True, text=True, check=True).stdout
    versions = [tuple(map(int, each.split("."))) for each in re.findall(r"Name: GLIBC_(2[.\d]+)", printed)]
    assert glibc_needed(file.read_bytes()) == max(versions)


def test_a_file_that_needs_no_glibc(tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text("int one(void) { return 1; }\n")
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", tmp_path / "it.so", tmp_path / "it.c"], check=True)
    assert glibc_needed((tmp_path / "it.so").read_bytes()) == ()


@pytest.mark.parametrize(
    ("tags", "promised"),
    [("manylinux_2_34_x86_64", (2, 34)), ("manylinux2014_x86_64.manylinux_2_17_x86_64", (2, 17)), ("manylinux_2_39_x86_64", (2, 39))],
)
def test_the_tag_names_a_version(tags: str, promised: tuple[int, ...]) -> None:
    assert glibc_promised(Path(f"it-1.0-py3-none-{tags}.whl")) == promised


def test_a_wheel_that_promises_too_much_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A library by itself and a library in an archive are checked; other files are not."""
    with tarfile.open(tmp_path / "pack.tar.xz", "w:xz", preset=0) as pack:
        pack.add(LIBRARY, "fmi2/binaries/it.so")
        pack.add(__file__, "text")
    for tag in ("manylinux_2_5_x86_64", "manylinux_2_99_x86_64"):
        with zipfile.ZipFile(tmp_path / f"it-1.0-py3-none-{tag}.whl", "w") as wheel:
            wheel.write(LIBRARY, "it.so")
            wheel.write(tmp_path / "pack.tar.xz", "pack.tar.xz")
            wheel.write(__file__, "text.so")
    needed = ".".join(map(str, glibc_needed(LIBRARY.read_bytes())))
    old, new = sorted(tmp_path.glob("*.whl"))
    assert complaints(old) == (
        2,
        [f"{name} needs glibc {needed}, and the tag of the wheel names 2.5" for name in ("it.so", "pack.tar.xz/fmi2/binaries/it.so")],
    )
    with pytest.raises(SystemExit, match=r"it\.so needs glibc"):
        main([str(old)])
    main([str(new)])
    assert capsys.readouterr().out == f"{new.name}: 2 libraries and programs run with glibc 2.99\n"


def test_a_wheel_that_is_not_repaired_is_refused() -> None:
    with pytest.raises(SystemExit, match="names no version of glibc; repair the wheel with auditwheel"):
        glibc_promised(Path("it-1.0-py3-none-linux_x86_64.whl"))
