"""Remedies for files that the operating system refuses."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_LIMITS = {
    errno.EFBIG: "raise the limit of a file's size (ulimit -f)",
    errno.EMFILE: "close files, or raise the limit of open files (ulimit -n)",
    errno.ENFILE: "close files in other programs: the whole system has too many",
    errno.EAGAIN: "end other processes, or raise the limit of processes (ulimit -u)",
    errno.ENOMEM: "free memory, or raise its limit (ulimit -v)",
}


def remedy(error: OSError, elsewhere: str = "choose another path") -> str:
    """Returns advice against an error; ``elsewhere`` is the advice where another place helps."""
    return _LIMITS.get(error.errno or 0) or (f"make room there, or {elsewhere}" if error.errno in _FULL else elsewhere)


def remedy_in(text: str) -> str:
    """Returns advice against an error whose text is the end of a sentence, in parentheses; empty for other errors."""
    return next((f" ({advice})" for number, advice in _LIMITS.items() if text.endswith(os.strerror(number))), "")


def is_read_only(error: OSError) -> bool:
    """Says whether a place refuses all files."""
    return error.errno in _READ_ONLY


def is_limit(error: OSError) -> bool:
    """Says whether the machine refuses a file, which has no fault itself."""
    return error.errno in (*_READ_ONLY, *_FULL, *_LIMITS)


def refused_place(error: OSError, otherwise: Path) -> str:
    """Returns a part of a sentence: the folder that refuses a file of the cache or a temporary file, the reason, and the remedy."""
    folder = Path(error.filename).parent if isinstance(error.filename, str) else otherwise
    variable = "TMPDIR" if folder.is_relative_to(tempfile.gettempdir()) and not folder.is_relative_to(otherwise) else "JOURDAIN_CACHE"
    advice = remedy(error, f"name another folder in the environment variable {variable}")
    return f"'{folder if variable == 'TMPDIR' else otherwise}': {error.strerror or error}; {advice}"
