"""FMUs from packs are those that a compiler makes; packs count only for the sources from which they were made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmu_components.catalogue import find, from_file
from fmu_components.declare.component import Component
from fmu_components.export import compile as c
from fmu_components.export import kept, packs, ready
from fmu_components.export.build import Options, build, cached_fmu, content_key, source_key
from fmu_components.export.known import known_fmu
from tests.support.systems.systems import refusal

FIXED, GAIN = "planar.Fixed", "signal.Gain"


@pytest.fixture(scope="module")
def built() -> dict[tuple[str, int], bytes]:
    """FMUs that a compiler has made."""
    return {(name, fmi): cached_fmu(find(name), fmi).read_bytes() for name in (FIXED, GAIN) for fmi in (2, 3)}


@pytest.fixture(scope="module")
def folder(built: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packs of two components."""
    made = tmp_path_factory.mktemp("ready")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packs, "all_components", lambda: {name: find(name) for name in (FIXED, GAIN)})
        packs.write_packs(made)
    return made


@pytest.fixture(autouse=True)
def installed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that contains the packs, an empty cache, and no compiler."""
    monkeypatch.setenv("JOURDAIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(ready, "PACKS", folder)
    ready._components.cache_clear()
    yield
    ready._components.cache_clear()


@pytest.mark.parametrize("find_it", [known_fmu, lambda name, fmi: cached_fmu(find(name), fmi)], ids=["by name", "by class"])
def test_an_fmu_from_a_pack_is_the_one_that_was_built(find_it, built) -> None:
    """Both versions are equal to the byte; each is put together once."""
    for (name, fmi), content in built.items():
        path = find_it(name, fmi)
        assert path is not None and path.is_relative_to(kept.cache_folder())
        assert path.read_bytes() == content
        stamp = path.stat().st_mtime_ns
        assert find_it(name, fmi) == path and path.stat().st_mtime_ns == stamp, "it is put together once"


def test_many_are_built_from_packs(built, tmp_path: Path) -> None:
    """A folder of the user is filled in the way of ``jourdain build``."""
    made = list(build([find(FIXED), find(GAIN)], tmp_path / "out", Options(platforms=("linux64",))))
    assert {(each.name, each.fmi): each.path.read_bytes() for each in made} == built
    assert not any(each.fresh for each in build([find(FIXED)], tmp_path / "out", Options(platforms=("linux64",))))


def test_a_component_without_a_pack_needs_a_compiler(tmp_path: Path) -> None:
    """A class that inherits, a class of the same name from a file, a component without a pack, and another platform are compiled."""

    class Fixed(find(FIXED)):  # type: ignore[misc]
        """Support: another one."""

    (tmp_path / "own.py").write_text(Path(find(FIXED).__module__.replace(".", "/") + ".py").read_text())
    (own,) = from_file(tmp_path / "own.py")
    others: list[type[Component]] = [Fixed, own, find("signal.Sum")]
    for component in others:
        assert "no C compiler was found: install gcc (Debian: apt install gcc)" in refusal(
            lambda which=component: cached_fmu(which, 3), c.ExportError
        )
    assert known_fmu("signal.Sum", 3) is None
    with pytest.raises(c.ExportError):
        content_key(find(FIXED), 3, Options((3,), ("linux64", "win64")))


@pytest.mark.parametrize("change", ["changed", "added", "removed"])
def test_a_changed_source_makes_packs_useless(change: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any source of the package counts, as in an editable installation."""
    now = ready.digests()
    file = "runtime/values.c"
    texts = {
        "changed": now | {file: "0" * 64},
        "added": now | {"planar/New.py": "0" * 64},
        "removed": {n: d for n, d in now.items() if n != file},
    }
    monkeypatch.setattr(ready, "digests", lambda: texts[change])
    assert ready.ready_key(FIXED, 3) is None and known_fmu(FIXED, 3) is None
    assert "no C compiler" in refusal(lambda: cached_fmu(find(FIXED), 3), c.ExportError)


def test_digests_are_those_of_all_sources() -> None:
    """Sources that no FMU contains count as well: a component may import any of them."""
    found = ready.digests()
    assert {"planar/Fixed.py", "runtime/model.h", "runtime/standard/fmi3Functions.h", "declare/joint.py", "catalogue.py"} <= set(found)
    assert all((c.RUNTIME.parent / name).is_file() for name in found)


def test_another_sympy_takes_the_packs(built, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel serves all versions that it allows; a build from source has a key for each."""
    before = source_key(find(FIXED), 3, Options((3,)))
    monkeypatch.setattr("fmu_components.export.build._core_key", lambda: "another")
    assert source_key(find(FIXED), 3, Options((3,))) != before
    assert cached_fmu(find(FIXED), 3).read_bytes() == built[FIXED, 3]


def test_a_python_without_lzma_builds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lzma", None)
    assert ready.ready_key(FIXED, 3) is None
    assert set(json.loads((folder / ready.LIST).read_text())["components"]) == {FIXED, GAIN}
