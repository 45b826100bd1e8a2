"""The paths of a run's output files, checked before it begins."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from coupling.errors import BuildError, shown
from coupling.files import is_path, open_part, remedy


def place(option: str, given: object, suffix: str, *, ends_in_it: bool = False) -> Path:
    """Returns the file that an option names, with links followed; refuses a file that cannot be written, as far as this is known before."""
    if not isinstance(given, str | os.PathLike) or not os.fspath(given):
        raise BuildError(f"{option} = {shown(given)} is no path; give that of a file, such as 'run{suffix}'")
    named = os.fsdecode(given)
    if "\0" in named:
        raise BuildError(f"{option} = {shown(named)} is no path: it has a character 0 in it; give that of a file, such as 'run{suffix}'")
    if not is_path(named):
        raise BuildError(f"{option} = {shown(named)} is no path; give that of a file, such as 'run{suffix}'")
    path = Path(named)
    if ends_in_it and path.suffix != suffix:
        raise BuildError(f"{option} = '{named}' is refused: results are files that end in '{suffix}'; give '{path.stem}{suffix}'")
    try:
        return _writable(option, named, followed(path))
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise BuildError(
                f"{option} = {shown(named)} is refused: the name is longer than its folder takes; give a shorter one"
            ) from None
        raise OSError(f"{option}: '{path.absolute()}' cannot be written: {error.strerror}; {remedy(error)}") from None


def followed(path: Path) -> Path:
    """Returns the target of a link, which stays a link when another file takes the target's place."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path.absolute()


def _writable(option: str, named: str, path: Path) -> Path:
    if path.is_dir():
        raise BuildError(f"{option} = '{named}' is a folder; give the path of a file in it")
    if path.exists() and not path.is_file():
        what = _SPECIAL.get(stat.S_IFMT(path.stat().st_mode), "a device")
        raise BuildError(f"{option} = '{named}' is refused: it is {what}, which no file may replace; give the path of a file")
    if not path.parent.is_dir():
        raise BuildError(f"{option} = '{named}' lies in a folder that does not exist; make it, or choose another path")
    tried, file = open_part(path)  # whether the folder takes files, which its permissions alone do not tell
    os.close(file)
    tried.unlink()
    return path


_SPECIAL = {stat.S_IFIFO: "a fifo", stat.S_IFSOCK: "a socket"}


def refuse_one_for_both(record_to: Path, checkpoint: Path) -> None:
    """Refuses one file for both."""
    if os.path.realpath(record_to) == os.path.realpath(checkpoint):
        raise BuildError(
            f"record_to and checkpoint both name '{checkpoint}', where one would replace the other; give each a file of its own, such as "
            f"'{checkpoint.with_suffix('.ckpt').name}' for the checkpoint"
        )
