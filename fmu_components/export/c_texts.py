"""Texts and ranges that C tables name by number: by the offset in one text, and by row. A loader has no addresses to correct."""

from __future__ import annotations

from fmu_components.declare.declaration import Range
from fmu_components.export.c_literals import c_bool, c_number, c_string


class Texts:
    """One text of many, each of which ends with a null character."""

    def __init__(self) -> None:
        self._place: dict[tuple[str, ...], int] = {}
        self._end = 0
        self.place("", "")

    def place(self, *texts: str) -> int:
        """Returns the offset of these texts, which follow each other."""
        if texts not in self._place:
            self._place[texts] = self._end
            self._end += sum(len(each.encode()) + 1 for each in texts)
        return self._place[texts]

    @property
    def length(self) -> int:
        return self._end

    def source(self) -> str:
        # Each in quotation marks of its own, since a digit that follows a null character would belong to it.
        lines = ["    " + " ".join(c_string(each)[:-1] + '\\0"' for each in texts) for texts in self._place]
        return "static const char text[] =\n" + "\n".join(lines) + ";"


class Ranges:
    """The ranges of variables; the first one has no bounds."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._place: dict[Range, int] = {}
        self.place(Range())

    def place(self, range: Range) -> int:
        return self._place.setdefault(range, len(self._place))

    def __len__(self) -> int:
        return len(self._place)

    def source(self) -> str:
        """Returns the table in C. It must be called before the source of the texts, since it adds the texts of the ranges."""
        rows = [
            f"{{{c_number(r.minimum)}, {c_number(r.maximum)}, {self._texts.place(r.otherwise)}, {c_bool(r.open_below)}, {c_bool(r.open_above)}}}"
            for r in self._place
        ]
        return "static const Range range[] = {\n    " + ",\n    ".join(rows) + ",\n};"
