"""Errors about FMUs that cannot be used, and the reading of their files with errors that name the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

T = TypeVar("T")


class FmuError(ValueError):
    """An FMU cannot be used; the message names the file, the fault and the remedy."""


@dataclass(frozen=True, slots=True)
class Source:
    """The file that is being read, and the tool that wrote it, for messages."""

    path: Path
    tool: str = ""

    def broken(self, what: str) -> FmuError:
        """Returns an error that only the makers of the file can mend."""
        return FmuError(f"'{self.path}' {what}; export it again, or report this to the makers of {self.tool or 'the tool that wrote it'}")

    def unsuitable(self, what: str, remedy: str) -> FmuError:
        """Returns an error that a user can avoid by another export of the file."""
        return FmuError(f"'{self.path}' {what}; {remedy}")

    def parsed(self, text: str, parse: Callable[[str], T], what: str) -> T:
        """Returns a value that the file writes as text; ``what`` names it in the error if it cannot be read."""
        try:
            return parse(text)
        except ValueError:
            raise self.broken(f"gives '{text}' as {what}, which cannot be read") from None

    def tree(self, text: bytes, member: str) -> Element:
        """Returns the elements of an XML file inside the FMU, with names as written.

        ElementTree's own parser refuses attributes with a prefix that is not declared, which CasADi writes.
        """
        builder, parser = TreeBuilder(), expat.ParserCreate()
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        try:
            parser.Parse(text, True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise self.broken(f"has a {member} that is not well-formed XML ({error})") from None
        return builder.close()
