"""Damaged checkpoints, results, texts beside rows and SSP packages, whose checksums are right: each seed makes one of them, and tries it.

Words of blocks are replaced, and values and branches of JSON and XML. Whatever it is, reading and using it ends well, or with an error of one sentence.
"""

from __future__ import annotations

import json
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import sympy

from coupling import Checkpoint, Result, System, checkpoint_file
from coupling.texts_file import place_of_texts
from jourdain.declare import t
from tests.coupling.live.test_streamed_texts import OUTPUTS, killed, texts
from tests.coupling.steering.test_checkpoints import FORCE
from tests.coupling.steering.test_run import mass
from tests.fuzz.mutants import ODD, Choose, _bytes_changed, _element_changed, _pack
from tests.fuzz.trials import answer
from tests.support.systems import kept
from tests.support.systems.systems import pendulum

_STOP, _LATER = 0.06, 0.02
"""Seconds of the runs that write checkpoints, and that go on from them."""
_INTEGERS = (0, 1, -1, 2, 3, 7, 255, 256, 65535, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**40, 2**62, -(2**62), 2**63 - 1, -(2**63))
_NUMBERS = (0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, np.nan, np.inf, -np.inf, 0.5, 1e9)
_VALUES = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    -(2**63),
    1e308,
    0.5,
    "",
    "a",
    "nan",
    "x" * 3000,
    "\u202e",
    [],
    {},
    [[]],
    [1, 2],
    {"a": 1},
    {"class": "Run"},
)


# -- checkpoints -----------------------------------------------------------------------------------------------------------------------


def checkpoints(folder: Path, names: Sequence[str] = tuple(kept.RUNS)) -> list[Path]:
    """Writes a checkpoint of each kind of run."""
    made = []
    for name in names:
        system, options = kept.RUNS[name]
        path = folder / f"{len(made)}.ckpt"
        system().simulate(_STOP, **options, output_times=[0.0, _STOP], checkpoint=Checkpoint(path=path, interval=1e9))
        made.append(path)
    driven().simulate(_STOP, output_times=[0.0, _STOP], checkpoint=Checkpoint(path=folder / "driven.ckpt", interval=1e9))
    with mass().start(inputs=[FORCE], checkpoint=Checkpoint(path=folder / "stepped.ckpt", interval=1e9)) as run:
        run.set(FORCE, 1.0, rate=2.0)
        run.advance(_STOP)
    return [*made, folder / "driven.ckpt", folder / "stepped.ckpt"]


@cache
def _saved(path: Path) -> checkpoint_file.Saved:
    return checkpoint_file.read(path)


def damaged_checkpoint(original: Path, target: Path, chance: Choose) -> None:
    """Writes a checkpoint that differs from another one in words of its blocks, in its header, or in bytes."""
    kind = chance.random()
    if kind < 0.05:
        target.write_bytes(_bytes_changed(original.read_bytes(), chance))
        return
    head, blocks = dict(_saved(original).head), dict(_saved(original).blocks)
    del head["blocks"]
    if kind < 0.75:
        name = chance.choice([each for each in blocks if each != "asked"])
        blocks[name] = _words_changed(blocks[name], chance)
    elif kind < 0.85:
        head = _tree_changed(head, chance)
    else:
        asked = _tree_changed(json.loads(blocks["asked"].tobytes()), chance)
        blocks["asked"] = np.frombuffer(json.dumps(asked).encode(), np.uint8)
    if not isinstance(head, Mapping):
        head = {"a": head}
    checkpoint_file.write(target, head, blocks)


def _words_changed(block: np.ndarray, chance: Choose) -> np.ndarray:
    data = bytearray(block.tobytes())
    if chance.random() < 0.03:
        return np.frombuffer(bytes(data[: chance.randrange(len(data) + 1)]), np.uint8)
    for _ in range(chance.choice((1, 1, 1, 2, 20))):
        size = chance.choice((1, 4, 4, 8, 8))
        at = chance.randrange(max(1, len(data) // size)) * size
        packed = struct.pack("<d", chance.choice(_NUMBERS)) if size == 8 and chance.random() < 0.4 else b""
        data[at : at + size] = packed or (chance.choice(_INTEGERS) & (1 << 8 * size) - 1).to_bytes(size, "little")
    return np.frombuffer(bytes(data[: block.size]), np.uint8)


def _tree_changed(tree: Any, chance: Choose) -> Any:
    """A copy in which a value or a branch is another one, missing, doubled, renamed or deep."""
    tree = _copied(tree)
    for _ in range(chance.choice((1, 1, 1, 3))):
        at = tree
        while isinstance(at, dict | list) and at:
            key = chance.choice(list(at)) if isinstance(at, dict) else chance.randrange(len(at))
            below = at[key]
            if not (isinstance(below, dict | list) and below) or chance.random() < 0.25:
                _branch_changed(at, key, chance)
                break
            at = below
    return tree


def _copied(tree: Any) -> Any:
    return json.loads(json.dumps(tree))


def _branch_changed(at: Any, key: Any, chance: Choose) -> None:
    kind = chance.randrange(8)
    if kind == 0:
        del at[key]
    elif kind == 1 and isinstance(at, list):
        at.insert(key, _copied(at[key]))
    elif kind == 1:
        at[f"{key}x"] = at.pop(key)
    elif kind == 2:
        deep: Any = at[key]
        for _ in range(chance.choice((3, 250))):
            deep = [deep]
        at[key] = deep
    elif kind == 3 and isinstance(at[key], str):
        at[key] = at[key][: chance.randrange(len(at[key]) + 1)] + chance.choice(("", "\0", "é", ".", "/", "[1]"))
    else:
        at[key] = _copied(chance.choice(_VALUES))


def trial_of_checkpoint(originals: Sequence[Path], folder: Path) -> Callable[[int], str]:
    def trial(seed: int) -> str:
        chance, path = random.Random(seed), folder / f"{seed}.ckpt"
        original = chance.choice(originals)
        damaged_checkpoint(original, path, chance)
        found = answer(lambda: System.resume(path, stop_time=_STOP + _LATER))
        if not found:
            path.unlink(missing_ok=True)
        return found

    return trial


# -- results ---------------------------------------------------------------------------------------------------------------------------


def results(folder: Path) -> list[Path]:
    """Saves results of several kinds."""
    made = []
    for name in ("dopri5", "impacts", "joints that come and go", "sensitivities", "gauss-seidel"):
        system, options = kept.RUNS[name]
        path = folder / f"{len(made)}.jrd"
        system().simulate(0.6, **options, output_interval=0.05).save(path)
        made.append(path)
    path = folder / "texts.jrd"
    texts().simulate(0.6, output_interval=0.05, outputs=OUTPUTS).save(path)
    return [*made, path]


_HEAD, _FOOT = struct.Struct("<8sQ"), struct.Struct("<8sQI")
_PAGE = 4096


def damaged_result(original: Path, target: Path, chance: Choose) -> None:
    """Writes a result that differs from another one in its header, in its trailer, or in bytes."""
    data, kind = original.read_bytes(), chance.random()
    if kind < 0.1:
        target.write_bytes(_bytes_changed(data, chance))
        return
    word, length = _HEAD.unpack_from(data)
    first = -(-(_HEAD.size + length) // _PAGE) * _PAGE
    head = json.loads(data[_HEAD.size : _HEAD.size + length])
    rows = data[first : first + 8 * head["width"] * head["rows"]]
    said = json.loads(data[first + len(rows) + _FOOT.size :])
    if kind < 0.6:
        head = _tree_changed(head, chance)
    else:
        said = _tree_changed(said, chance)
    text = json.dumps(head).encode()
    begin = _HEAD.pack(word, len(text)) + text
    begin = begin.ljust(-(-len(begin) // _PAGE) * _PAGE, b"\0")
    if isinstance(said, dict) and "header_checksum" in said:
        said["header_checksum"] = zlib.crc32(begin)
    end = json.dumps(said).encode()
    target.write_bytes(begin + rows + _FOOT.pack(b"JRDENDS1", len(end), zlib.crc32(end)) + end)


def _used(path: Path) -> None:
    """Everything that a result offers, apart from what takes long."""
    result = Result.load(path)
    again = path.with_suffix(".again.jrd")
    try:
        str(result.outcome), repr(result), result._repr_html_(), result.summary, result.units, dict(result.options), dict(result.parameters)
        for name in result.names:
            result[name]
        result.violation, result.changes, result.statistics.seconds_in_master, str(result.statistics)
        result.at(0.1), result.final(list(result.names)[:2]), result.resample(interval=0.1), result.to_dataframe()
        result.save(again)
        Result.load(again)
        if result._record.scene:
            result.picture(0.1, path=again.with_suffix(".svg"))
    finally:
        again.unlink(missing_ok=True)
        again.with_suffix(".svg").unlink(missing_ok=True)


def trial_of_result(originals: Sequence[Path], folder: Path) -> Callable[[int], str]:
    def trial(seed: int) -> str:
        chance, path = random.Random(seed), folder / f"{seed}.jrd"
        damaged_result(chance.choice(originals), path, chance)
        found = answer(lambda: _used(path))
        if not found:
            path.unlink()
        return found

    return trial


def unfinished(folder: Path) -> list[Path]:
    """Writes the rows of a killed run, with its texts beside them."""
    return [killed(folder, 0.12)]


def trial_of_texts(originals: Sequence[Path], folder: Path) -> Callable[[int], str]:
    def trial(seed: int) -> str:
        chance, path = random.Random(seed), folder / f"{seed}.jrd"
        original = chance.choice(originals)
        path.write_bytes(original.read_bytes())
        text = place_of_texts(original).read_bytes()
        changed = _bytes_changed(text, chance) if chance.random() < 0.3 else _words_changed(np.frombuffer(text, np.uint8), chance).tobytes()
        place_of_texts(path).write_bytes(changed)
        found = answer(lambda: _used(path))
        if not found:
            path.unlink()
            place_of_texts(path).unlink()
        return found

    return trial


# -- SSP -------------------------------------------------------------------------------------------------------------------------------


def packages(folder: Path) -> list[Path]:
    """Writes packages: of a mechanism, and of one with signals, parameters and settings."""
    made = [folder / "0.ssp", folder / "1.ssp", folder / "2.ssp"]
    pendulum().to_ssp(made[0], settings={"stop_time": 1.0, "solver": "cvode"})
    kept.zone().to_ssp(made[1])
    driven().to_ssp(made[2])
    return made


def driven() -> System:
    """Returns a system with each kind of data that only our own file of a package has."""
    system = kept.enforced()
    for name in "abcd":
        system.add(name, "signal.Gain", {"u": 3.0} if name == "a" else {})
    system.connect("a.y", "d.u", factor=-0.1, offset=1 / 3)
    system.drive("a.u", 0.5)
    system.drive("b.u", [(0.0, 1.0), (0.25, 1.0), (0.5, 0.1)], smooth=True)
    system.drive("c.u", sympy.Piecewise((sympy.sin(t), t < 0.5), (2.0, True)))
    return system


def damaged_package(original: Path, chance: Choose) -> bytes:
    """Returns a package whose description, parameters or annotation are other ones, or whose bytes are."""
    if chance.random() < 0.1:
        return _bytes_changed(original.read_bytes(), chance)
    return _described(original, chance)


def _described(path: Path, chance: Choose) -> bytes:
    """An XML file in which elements and attributes have changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice([each for each in members if each.endswith((".ssd", ".ssv", ".ssm", ".xml"))])
    if chance.random() < 0.2:
        values = list(re.finditer(rb'"[^"]*"|>[^<]+<', members[name]))
        found = chance.choice(values)
        odd = chance.choice(ODD).encode(errors="replace")
        text = members[name]
        return _pack(members | {name: text[: found.start() + 1] + odd + text[found.end() - 1 :]})
    root = ElementTree.fromstring(members[name])
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        _element_changed(root, chance)
    members[name] = ElementTree.tostring(root)
    return _pack(members)


def trial_of_package(originals: Sequence[Path], folder: Path) -> Callable[[int], str]:
    def trial(seed: int) -> str:
        chance, path = random.Random(seed), folder / f"{seed}.ssp"
        path.write_bytes(damaged_package(chance.choice(originals), chance))
        found = answer(lambda: System.from_ssp(path))
        if not found:
            path.unlink()
        return found

    return trial


KINDS: dict[str, tuple[Callable[[Path], list[Path]], Callable[[Sequence[Path], Path], Callable[[int], str]]]] = {
    "checkpoints": (checkpoints, trial_of_checkpoint),
    "results": (results, trial_of_result),
    "texts": (unfinished, trial_of_texts),
    "packages": (packages, trial_of_package),
}
"""Functions that write originals of each kind of file, and that try a damaged one."""
