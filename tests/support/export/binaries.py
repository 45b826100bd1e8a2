"""Contents of the shared libraries of FMUs, as shown by binutils."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import fmpy

MINGW, MINGW_OBJDUMP = "x86_64-w64-mingw32-gcc", shutil.which("x86_64-w64-mingw32-objdump") or "objdump"
FOLDERS = {2: "linux64", 3: "x86_64-linux"}
LARGEST = {"planar": 150_000, "spatial": 250_000, "planar.Beam5": 160_000} | {
    f"spatial.RevoluteBody{n}": 190_000 + 32_000 * n for n in (3, 4, 5)
}
"""Bytes; those of a domain that has no entry are as small as the planar ones. A block of more children has 32 kB for each."""
WINDOWS_FOLDERS = {2: "win64", 3: "x86_64-windows"}


def output(*command: str | Path) -> str:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def library(fmu: Path, folder: Path) -> Path:
    """The only shared library of an FMU, extracted."""
    with zipfile.ZipFile(fmu) as packed:
        (member,) = [name for name in packed.namelist() if name.startswith("binaries/") and not name.endswith("/")]
        return Path(packed.extract(member, folder))


def functions_of_the_standard(fmi: int) -> set[str]:
    """All functions that the standard's header declares, which for both kinds an FMU has to export."""
    header = (Path(fmpy.__file__).parent / "c-code" / f"fmi{fmi}Functions.h").read_text()
    return set(re.findall(rf"FMI{fmi}_Export\s+fmi{fmi}\w+TYPE\s+(\w+);", header))


def check_needs_the_c_library_only(library: Path) -> None:
    """The dynamic section names libc and, at most, libm: no Python, no other shared library."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", library)))
    assert {"libc.so.6"} <= needed <= {"libc.so.6", "libm.so.6"}


def check_exports_fmi_only(library: Path, fmi: int) -> None:
    """Every function of the standard is there, and nothing else is visible."""
    exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()}
    assert {f"fmi{fmi}GetVersion", f"fmi{fmi}DoStep", f"fmi{fmi}SetContinuousStates"} <= exported
    assert exported == functions_of_the_standard(fmi)


def check_calls_no_python_and_opens_no_file(library: Path) -> None:
    """Checks the imported symbols: none begins with Py, and none opens a file, runs a program or connects."""
    taken = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", library).splitlines()}
    assert not [name for name in taken if name.startswith(("Py", "_Py"))]
    assert not taken & {"open", "open64", "fopen", "fopen64", "system", "popen", "fork", "execve", "dlopen", "socket"}


def check_keeps_nothing_outside_of_instances(library: Path) -> None:
    """Checks that only the compiler's own start-up files bring writable data after relocation: instances, and threads, share no variable."""
    sizes = {}
    for line in output("readelf", "-SW", library).splitlines():
        if found := re.match(r"\s*\[ *\d+\]\s+(\.\w+)\s+\w+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)", line):
            sizes[found[1]] = int(found[2], 16)
    assert sizes[".text"] > 0
    assert sizes.get(".data", 0) <= 16
    assert sizes.get(".bss", 0) <= 8


def check_dll(library: Path, fmi: int) -> None:
    """A DLL imports from KERNEL32 and the C library of Windows alone, and exports the functions of the standard."""
    dump = output(MINGW_OBJDUMP, "-p", library)
    imported = {name.lower() for name in re.findall(r"DLL Name: (\S+)", dump)}
    assert "kernel32.dll" in imported
    assert imported <= {"kernel32.dll", "msvcrt.dll"}
    names = dump.partition("[Ordinal/Name Pointer] Table")[2]
    assert set(re.findall(r"\[ *\d+\](?: \+base\[ *\d+\])?\s+(?:[0-9a-f]+ )?(\w+)", names)) >= functions_of_the_standard(fmi)


def check_small_and_without_python(archive: Path, more: float = 1.0) -> None:
    """An FMU stays below 150 kB, in space below 250 kB, a few below sizes of their own, and no file in it is Python."""
    domain = archive.stem.partition(".")[0]
    assert archive.stat().st_size < more * LARGEST.get(archive.stem, LARGEST.get(domain, LARGEST["planar"]))
    with zipfile.ZipFile(archive) as packed:
        assert not [name for name in packed.namelist() if Path(name).suffix in {".py", ".pyc", ".pyd"}]


def check_build_description_names_every_source(archive: Path, fmi: int) -> None:
    """The build description, which FMI 3 alone has, lists the C files that lie beside it."""
    if fmi == 2:
        return
    with zipfile.ZipFile(archive) as packed:
        listed = set(re.findall(rb'<SourceFile name="([^"]+)"', packed.read("sources/buildDescription.xml")))
        assert {f"sources/{name.decode()}" for name in listed} == {name for name in packed.namelist() if name.endswith(".c")}
