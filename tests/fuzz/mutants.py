"""Damaged FMUs by the thousand: archives whose bytes have changed, and model descriptions that say something else.

Each seed makes one mutant of one FMU. Whatever it is, reading and running it ends well, or with an error of one sentence.
"""

from __future__ import annotations

import faulthandler
import io
import os
import random
import re
import signal
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from coupling import System
from coupling.errors import BuildError, InitialStateError, StartError
from coupling.fmus import FmuError

ANSWERS = (BuildError, FmuError, InitialStateError, StartError)
"""The errors that are part of the interface: each is a sentence."""

ODD = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1",
        "2",
        "3.0",
        "4294967295",
        "4294967296",
        "-9223372036854775809",
        "1e308",
        "1e999",
        "-1e999",
        "nan",
        "NaN",
        "inf",
        "0x10",
    ),
    *(
        "true",
        "True",
        "yes",
        "input",
        "output",
        "parameter",
        "local",
        "independent",
        "continuous",
        "discrete",
        "fixed",
        "exact",
        "calculated",
        "initial",
    ),
    *("time", "der(x)", "a.b.c", "äöü", "\u202e", "%s%n", "../../etc", "a" * 5000, "1 2 3", "1,2", "m/s2", "rad", "N.m", "[[", "&"),
)
TAGS = (
    *(
        "ScalarVariable",
        "Real",
        "Float64",
        "Integer",
        "Int32",
        "Boolean",
        "String",
        "Binary",
        "Clock",
        "Dimension",
        "Start",
        "Alias",
        "Unit",
        "BaseUnit",
    ),
    *(
        "Unknown",
        "Output",
        "ContinuousStateDerivative",
        "EventIndicator",
        "ModelExchange",
        "CoSimulation",
        "Terminal",
        "TerminalMemberVariable",
        "Item",
    ),
)
Choose = random.Random
_DATE = (1980, 1, 1, 0, 0, 0)


def _members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _pack(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


# -- bytes -------------------------------------------------------------------------------------------------------------


def _bytes_changed(content: bytes, chance: Choose) -> bytes:
    """Flipped, removed, inserted, repeated or cut off."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 10))):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at : at + chance.choice((1, 4, 100))]
        elif kind == 2:
            data[at:at] = chance.randbytes(chance.choice((1, 4, 100)))
        elif kind == 3:
            data[at:at] = data[at : at + chance.choice((1, 50, 1000))]
        elif chance.random() < 0.3:
            del data[at:]
    return bytes(data)


def _archive_changed(path: Path, chance: Choose) -> bytes:
    return _bytes_changed(path.read_bytes(), chance)


def _members_changed(path: Path, chance: Choose) -> bytes:
    """Files that are missing, empty, renamed, exchanged, or other ones; the binary itself is left as it is, since code that is wrong is code."""
    members = _members(path)
    for _ in range(chance.choice((1, 1, 3))):
        name = chance.choice([each for each in members if not each.startswith("binaries/") or not each.endswith((".so", ".dll"))])
        kind = chance.randrange(4)
        if kind == 0:
            del members[name]
        elif kind == 1:
            members[name] = b""
        elif kind == 2:
            members[chance.choice(("", "binaries", "resources", "extra/a", "../up", name.upper(), "a" * 300))] = members[name]
        else:
            members[name] = _bytes_changed(members[name], chance)
        if not members:
            break
    return _pack(members)


# -- descriptions ------------------------------------------------------------------------------------------------------


def _described_otherwise(path: Path, chance: Choose) -> bytes:
    """An XML file in which elements and attributes have been changed, taken away, doubled, moved or renamed."""
    members = _members(path)
    name = chance.choice([each for each in members if each.endswith(".xml") and chance.random() < 0.4] or ["modelDescription.xml"])
    root = ElementTree.fromstring(members[name])
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        _element_changed(root, chance)
    members[name] = ElementTree.tostring(root)
    return _pack(members)


def _element_changed(root: Element, chance: Choose) -> None:
    parent = chance.choice([each for each in root.iter() if len(each)] or [root])
    element = chance.choice(list(parent)) if len(parent) else root
    kind = chance.randrange(9)
    if kind <= 2 and element.attrib:
        element.set(chance.choice(list(element.attrib)), chance.choice(ODD))
    elif kind == 3 and element.attrib:
        del element.attrib[chance.choice(list(element.attrib))]
    elif kind == 4 and element is not root:
        parent.remove(element)
    elif kind == 5 and element is not root:  # what holds itself would be written without end
        parent.append(element)  # twice
    elif kind == 6:
        element.tag = chance.choice(TAGS)
    elif kind == 7 and element is not root:
        wanderer = chance.choice(list(root.iter()))
        if element not in set(wanderer.iter()) and wanderer not in set(element.iter()):
            wanderer.append(element)
    else:
        other = chance.choice(list(root.iter()))
        element.attrib.update(dict(list(other.attrib.items())[: chance.randrange(1, 4)]))


def _text_changed(path: Path, chance: Choose) -> bytes:
    """A description whose text has changed, whether or not it is XML still."""
    members = _members(path)
    name = chance.choice([each for each in members if each.endswith(".xml")])
    text = members[name].decode()
    kind = chance.randrange(4)
    if kind == 0:
        values = list(re.finditer(r'"[^"]*"', text))
        found = chance.choice(values)
        text = f'{text[: found.start()]}"{chance.choice(ODD)}"{text[found.end() :]}'
    elif kind == 1:
        text = text.replace("UTF-8", chance.choice(("UTF-16", "latin-1", "cp037", "nonsense", "")), 1)
    elif kind == 2:
        depth = chance.choice((10, 2000))
        text = text.replace("<ModelStructure", "<Item>" * depth + "</Item>" * depth + "<ModelStructure", 1)
    else:
        return _pack(members | {name: _bytes_changed(members[name], chance)})
    return _pack(members | {name: text.encode(errors="replace")})


MUTATIONS: Sequence[Callable[[Path, Choose], bytes]] = (
    _archive_changed,
    _members_changed,
    _described_otherwise,
    _described_otherwise,
    _described_otherwise,
    _text_changed,
)


def mutant(seed: int, originals: Sequence[Path]) -> bytes:
    """The damaged FMU of a seed."""
    chance = random.Random(seed)
    return chance.choice(MUTATIONS)(chance.choice(originals), chance)


def _answer(path: Path, kind: str) -> str | None:
    try:
        system = System("mutant")
        system.add("it", path, kind=kind)
        system.simulate(0.02, **({"communication_step": 0.01} if kind == "cs" else {}))
    except ANSWERS as error:
        text = str(error)
        return f"no sentence: {type(error).__name__}: {text!r}" if "\n" in text or len(text) < 20 else None
    except Exception as error:
        return f"no answer: {type(error).__name__}: {error}"
    return None


def warm_up(originals: Sequence[Path]) -> None:
    """Loads everything that a first run loads, which takes three times as long as the rest. The process of each mutant then has it."""
    for kind in ("me", "cs"):
        assert _answer(originals[0], kind) is None


def offence(path: Path, kind: str, seconds: int = 30) -> str | None:
    """Returns the fault in the answer to an FMU; None where it runs, or is refused by a sentence. It runs in a process of its own, which
    may come to harm."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        faulthandler.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        warnings.simplefilter("ignore")
        try:
            os.write(writing, (_answer(path, kind) or "").encode()[:4000])
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        told = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"the process was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return told or None


def check(seed: int, originals: Sequence[Path], folder: Path) -> str | None:
    """Makes the mutant of a seed, and keeps it where it is answered wrongly."""
    path = folder / f"mutant {seed}.fmu"
    path.write_bytes(mutant(seed, originals))
    found = offence(path, "me" if seed % 3 else "cs")
    if found is None:
        path.unlink()
        return None
    return f"seed {seed}: {found}"
