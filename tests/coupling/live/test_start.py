"""A start that is interrupted: Ctrl-C while an FMU is instantiated or initialised leaves nothing behind, and the next run is a good one."""

from __future__ import annotations

from typing import Any

import pytest

from coupling import System
from coupling.kernel.fmi.instance import Instance
from coupling.live import start
from tests.support import foreign


class Counted(Instance):
    made: list[Instance] = []

    def __init__(self, *arguments: Any, **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.made.append(self)


@pytest.mark.parametrize("hook", ["instantiate", "initialize"])
@pytest.mark.parametrize("kind", ["me", "cs"])
def test_ctrl_c_at_the_start_leaves_nothing(kind: str, hook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The FMU presses it itself, once in a process, when its second instance comes to it."""
    pressed = f"PRESSED_{kind}_{hook}"  # by the process: variables of the library begin anew with each session
    press = f"""static int calls; extern int raise(int), setenv(const char *, const char *, int);
        if (++calls == 2 && !getenv("{pressed}")) setenv("{pressed}", "", 1), raise(2);"""
    path = foreign.of_oscillator(**{hook: press})
    system = System("oscillators")
    for name in "abc":
        system.add(name, path, kind=kind)
    options = {} if kind == "me" else {"communication_step": 0.1}
    monkeypatch.setattr(start, "Instance", Counted)
    monkeypatch.setattr(Counted, "made", [])
    with pytest.raises(KeyboardInterrupt):
        system.simulate(1.0, **options)
    assert len(Counted.made) == (2 if hook == "instantiate" else 3)
    assert all(each.handle is None for each in Counted.made)
    assert system.simulate(1.0, **options).outcome.completed
