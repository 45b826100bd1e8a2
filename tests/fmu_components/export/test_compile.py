"""The runtime is compiled once: at installation, or into the cache where its text or the compiler is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from fmu_components.export import compile as c

LINUX = c.PLATFORMS["linux64"]


def test_the_installation_has_the_runtime_of_both_versions(tmp_path: Path) -> None:
    """Nothing is compiled for a library but its model; FMI 2 and FMI 3 have the objects that know no version in common."""
    found = {fmi: c.runtime_objects(LINUX, fmi, tmp_path) for fmi in (2, 3)}
    assert not list(tmp_path.iterdir())
    assert [path.stem for path in found[2]] == [path.stem for path in c.runtime_sources(2)]
    assert {path.name for path in set(found[2]) & set(found[3])} == {f"{Path(name).stem}.o" for name in c.SHARED_SOURCES}


def test_another_text_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A header that has changed makes new objects in the cache, once."""
    compiled = []
    for source in (*c.RUNTIME.glob("*.[ch]"), *c.STANDARD.glob("*.h")):
        target = tmp_path / source.relative_to(c.RUNTIME)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text() + ("/* later */\n" if source.name == "model.h" else ""))
    real = c._compile
    monkeypatch.setattr(c, "_compile", lambda compiler, source, *more: (compiled.append(source.name), real(compiler, source, *more)))
    monkeypatch.setattr(c, "RUNTIME", tmp_path)
    monkeypatch.setattr(c, "STANDARD", tmp_path / "standard")
    monkeypatch.setattr(c, "SHARED_SOURCES", ("messages.c", "method.c"))
    c._runtime_key.cache_clear()
    try:
        first, again = (c.runtime_objects(LINUX, 2, tmp_path / "cache") for _ in range(2))
    finally:
        c._runtime_key.cache_clear()
    assert sorted(compiled) == ["fmi2.c", "messages.c", "method.c"]
    assert first == again and all(path.is_relative_to(tmp_path / "cache") for path in first)
    (installed,) = c.COMPILED.glob("*/messages.o")
    assert first[0].read_bytes() == installed.read_bytes(), "a comment changes no code"
