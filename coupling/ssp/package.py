"""The archive of an SSP package: its files, and FMUs that are taken out."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from coupling.errors import BuildError, listed
from coupling.files import require_file
from coupling.fmus.archive import DAMAGED, check_size, refuse_escape, unpacking_limit
from coupling.fmus.cache import shared_folder
from coupling.names import nearest

STRUCTURE = "SystemStructure.ssd"


class Package:
    """The files of a package, by name; each is read when it is wanted."""

    def __init__(self, path: Path, content: bytes | None = None) -> None:
        self.path = path
        try:
            if content is None:
                require_file(path)
            self._archive = zipfile.ZipFile(path if content is None else io.BytesIO(content))
        except OSError as error:
            raise BuildError(f"'{path}' cannot be opened: {error.strerror or error}; give the path of a file that ends in .ssp") from None
        except DAMAGED as error:
            raise BuildError(f"'{path}' is no zip archive that can be read ({error}), as an SSP package is; save it again") from None
        self._members = {info.filename.replace("\\", "/"): info for info in self._archive.infolist() if not info.is_dir()}
        for name in self._members:
            refuse_escape(name, path)
        check_size(path, "takes", sum(info.file_size for info in self._members.values()), unpacking_limit())

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    @property
    def names(self) -> Mapping[str, object]:
        return self._members

    def member(self, source: str, folder: str, wanted_by: str) -> str:
        """Returns the file that a source means, relative to a folder. Addresses elsewhere and missing files raise BuildError."""
        parts = urlsplit(source)
        if parts.scheme or parts.netloc:
            raise BuildError(f"{wanted_by} has the source '{source}', which is not in '{self.path}'; only files in the package are read")
        name = _joined(folder, unquote(parts.path))
        if name not in self._members:
            ending = Path(name).suffix
            hint = (
                nearest(name, self._members)
                or f"its files of this kind are {listed(n for n in self._members if n.endswith(ending)) or 'none'}"
            )
            raise BuildError(f"{wanted_by} has the source '{source}', and '{self.path}' has no such file; {hint}")
        return name

    def read(self, name: str) -> bytes:
        try:
            return self._archive.read(self._members[name])
        except (*DAMAGED, OSError) as error:
            raise BuildError(f"'{self.path}' has the file '{name}', which cannot be read ({error}); save it again") from None

    def fmu(self, name: str) -> Path:
        """Returns an FMU as a separate file, which stays: the same for the same content."""
        content = self.read(name)
        file = Path(name).with_suffix(".fmu").name
        # Beside the unpacked FMUs, of which each has a folder by the same digest.
        folder = shared_folder(
            f"{hashlib.sha256(content).hexdigest()}-packed", "packed", Path(name).stem, lambda at: _write(at / file, content)
        )
        return next(folder.glob("*.fmu"))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _joined(folder: str, path: str) -> str:
    """Returns a path inside the archive, without dots."""
    parts: list[str] = [] if path.startswith("/") else [each for each in folder.split("/") if each]
    for each in path.split("/"):
        if each == "..":
            parts = parts[:-1]
        elif each not in ("", "."):
            parts.append(each)
    return "/".join(parts)
