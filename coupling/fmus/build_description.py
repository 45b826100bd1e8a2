"""Sources of an FMU, and the part of its build description that is safe to follow."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath
from xml.etree.ElementTree import Element

from coupling.errors import shown
from coupling.fmus.archive import platform_folders, read_members
from coupling.fmus.errors import FmuError, Source
from coupling.fmus.interface import Interface, is_true

_FILE = "sources/buildDescription.xml"
_ROOT = "sources"
_LANGUAGES = {".c": "c", ".cpp": "c++", ".cc": "c++", ".cxx": "c++"}
_STANDARDS = {"c": ("89", "90", "99", "11", "17", "18"), "c++": ("98", "03", "11", "14", "17", "20")}
_MOST_NAMED = 8
_MACRO = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class SourceSet:
    """Source files that are compiled with the same options; paths are those inside the FMU."""

    files: tuple[str, ...]
    definitions: tuple[str, ...] = ()
    """Macros as a compiler takes them: ``NAME=value``."""
    folders: tuple[str, ...] = ()
    """Folders of headers."""
    language: str = ""
    """Standard of the language, such as ``gnu99``; empty for that of the compiler."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The sources of a binary, and how they are compiled."""

    sets: tuple[SourceSet, ...]
    left_out: tuple[str, ...] = ()
    """Demands of the build description that are not followed, because they could run code or reach files outside."""


def language_of(file: str) -> str:
    """Returns the language of a source file, ``c`` or ``c++``; empty for other files."""
    return _LANGUAGES.get(posixpath.splitext(file)[1], "")


def has_sources(names: Sequence[str]) -> bool:
    """Says whether a compiler could make a binary of these files of an archive."""
    return _FILE in names or any(name.startswith(f"{_ROOT}/") and language_of(name) for name in names)


def read_recipe(source: Source, version: int, interfaces: Sequence[Interface]) -> Recipe:
    """Returns the recipe of the binary that these interfaces share; raises FmuError if it leaves the FMU or is incomplete."""
    files, names = read_members(source.path, (_FILE,))
    present = set(names)
    if version > 2 and _FILE in files:
        recipe = _described(source.tree(files[_FILE], _FILE), interfaces[0].identifier, present, source)
    else:
        recipe = _listed(interfaces, present, source)
    if not any(each.files for each in recipe.sets):
        raise source.broken("has no binary for this platform, and names no source files")
    return recipe


def _listed(interfaces: Sequence[Interface], present: set[str], source: Source) -> Recipe:
    """Returns the recipe of a list of files; without a list all files beside each other are taken."""
    named = dict.fromkeys(name for each in interfaces for name in each.sources)
    given = [_inside(name, present, source) for name in named] or sorted(name for name in present if posixpath.dirname(name) == _ROOT)
    return Recipe(sets=(SourceSet(files=tuple(name for name in given if language_of(name))),))


def _described(root: Element, identifier: str, present: set[str], source: Source) -> Recipe:
    """Returns the recipe of a build description."""
    left_out: list[str] = []
    configuration = _configuration(root, identifier, source)
    if (other := configuration.get("modelIdentifier") or "") != identifier:
        left_out.append(f"the modelIdentifier {shown(other)}")
    sets = tuple(_source_set(each, present, source, left_out) for each in configuration.iter("SourceFileSet"))
    for each in configuration.iter("Library"):
        left_out.append(f"the library {shown(each.get('name') or '')}")
    return Recipe(sets=sets, left_out=tuple(dict.fromkeys(left_out)))


def _configuration(root: Element, identifier: str, source: Source) -> Element:
    """Returns the build configuration of a binary for this platform, or for all platforms. A single one counts by whatever name it has."""
    here = platform_folders(3)[0]
    every = list(root.iter("BuildConfiguration"))
    found = [each for each in every if each.get("modelIdentifier") == identifier] or (every if len(every) == 1 else [])
    for wanted in (here, None):
        for each in found:
            if each.get("platform") == wanted:
                return each
    raise FmuError(
        f"'{source.path}' has no binary for this platform, and its {_FILE} has no configuration of {shown(identifier)} for {here}; export it "
        "for this platform"
    )


def _source_set(element: Element, present: set[str], source: Source, left_out: list[str]) -> SourceSet:
    definitions = list(_definitions(element, left_out))
    folders = [_folder(each.get("name") or "", source) for each in element.iter("IncludeDirectory")]
    language = _standard(element.get("language") or "", left_out)
    for option in _options(element.get("compilerOptions") or "", left_out):
        kind, value = option[:2], option[2:]
        if kind == "-D" and _MACRO.match(value):
            definitions.append(value)
        elif kind == "-I" and value:
            folders.append(_folder(value, source))
        elif option.startswith("-std=") and _standard(option[5:], []):
            language = _standard(option[5:], [])
        else:
            left_out.append(f"the option {shown(option)}")
    if compiler := element.get("compiler"):
        left_out.append(f"the compiler {shown(compiler)}")
    files = tuple(_inside(each.get("name") or "", present, source) for each in element.iter("SourceFile"))
    return SourceSet(
        files=tuple(name for name in files if language_of(name)), definitions=tuple(definitions), folders=tuple(folders), language=language
    )


def _definitions(element: Element, left_out: list[str]) -> Iterator[str]:
    """Yields macros that must be defined; an optional one changes nothing that the sources need."""
    for each in element.iter("PreprocessorDefinition"):
        name, value = each.get("name") or "", each.get("value")
        if not _MACRO.fullmatch(name):
            left_out.append(f"the definition {shown(name)}")
        elif not is_true(each.get("optional")):
            yield name if value is None else f"{name}={value}"


def _options(text: str, left_out: list[str]) -> list[str]:
    """Returns the options of a compiler, of which a shell would make these words."""
    try:
        words = shlex.split(text)
    except ValueError:
        left_out.append(f"the options {shown(text)}")
        return []
    joined: list[str] = []
    for word in words:  # -D NAME is one option
        if joined and joined[-1] in ("-D", "-I"):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _standard(text: str, left_out: list[str]) -> str:
    """Returns the option of a compiler for a language such as ``C99``, with the extensions that all compilers have."""
    match = re.fullmatch(r"(?:ISO )?(?:c|gnu)(\+\+)?(\d\d)?", text.strip(), re.IGNORECASE)
    plus = (match and match[1]) or ""
    if match and (match[2] is None or match[2] in _STANDARDS["c" + plus]):
        return f"gnu{plus}{match[2]}" if match[2] else ""
    if text:
        left_out.append(f"the language {shown(text)}")
    return ""


def _inside(name: str, present: set[str], source: Source) -> str:
    """Returns the path of a source file inside the FMU."""
    path = _relative(name)
    if path is None or not path.startswith(f"{_ROOT}/"):
        raise FmuError(
            f"'{source.path}' names the source file {shown(name)}, which is outside its folder sources; get it from a source you trust"
        )
    if path not in present:
        raise source.broken(f"names the source file {shown(name)}, which it does not have")
    return path


def _folder(name: str, source: Source) -> str:
    """Returns the path of a folder of headers inside the FMU."""
    path = _relative(name)
    if path is None:
        raise FmuError(
            f"'{source.path}' names the folder of headers {shown(name)}, which is outside the FMU; get it from a source you trust"
        )
    return path


def _relative(name: str) -> str | None:
    """Returns a path inside the FMU, of a name in its folder sources; None for a path that leaves the FMU."""
    slashed = name.replace("\\", "/")
    path = posixpath.normpath(f"{_ROOT}/{slashed}")
    leaves = not slashed or slashed.startswith("/") or PureWindowsPath(name).drive or path.split("/")[0] in ("..", ".") or "\0" in name
    return None if leaves else path


def sentence(left_out: Sequence[str]) -> str:
    """Returns the end of a note on what was left out of a build description; empty if all of it was followed."""
    if not left_out:
        return ""
    named = ", ".join(left_out[:_MOST_NAMED]) + (f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else "")
    return f"; its build description was followed in file names, definitions, folders inside the FMU and language alone, and not in {named}"
