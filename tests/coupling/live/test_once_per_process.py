"""FMUs that a process can hold once: all instances from the second on run in processes of their own, with the results of FMUs without this limit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coupling import Isolation, Result, StartError, System
from coupling.kernel.hosts.sandbox import lacks
from tests.support import foreign
from tests.support.foreign import OSCILLATOR, Model, export

DECLARED = {'modelIdentifier="Oscillator"': 'modelIdentifier="Oscillator" canBeInstantiatedOnlyOncePerProcess="true"'}
COUNTED = {
    "instantiate": 'static int *const made = &instances; if (++*made > 1) return say(me, Error, "this process holds an instance already");',
    "free": "instances--;",
}
COUNTER = {"static int refuse(": "static int instances;\nstatic int refuse("}


def once(version: int, declared: bool = True) -> Path:
    """An oscillator of which a process can hold one instance, as it says itself unless it is not ``declared``."""
    model: Model = replace(OSCILLATOR, hooks=COUNTED)
    return export(model, version, changes={**COUNTER, **(DECLARED if declared else {})})


def chain(path: Path, **options: object) -> Result:
    """Three oscillators, each pushed by the one before."""
    system = System("chain")
    for name in "abc":
        system.add(name, path)
    system.connect("a.y", "b.u")
    system.connect("b.y", "c.u")
    return system.simulate(1.0, output_interval=0.1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"communication_step": 0.05}], ids=["me", "cs"])
@pytest.mark.parametrize("which", ["none", "foreign", "all"])
def test_the_second_instance_gets_a_process(fmi: int, which: str, options: dict[str, float]) -> None:
    free, limited = chain(foreign.oscillator(fmi), **options), chain(once(fmi), isolate=which, **options)
    assert limited.outcome.completed
    for name in ("a.x", "b.x", "c.x"):
        assert limited[name].tobytes() == free[name].tobytes()
    notes = [each for each in limited.outcome.notes if "process" in each]
    assert notes == [
        f"'{name}' runs in a process of its own: 'Oscillator.fmu' allows one instance for each process, and 'a' is the first"
        for name in "bc"
    ]


def test_the_limit_is_that_of_a_process() -> None:
    """Without its declaration the FMU refuses its second instance."""
    with pytest.raises(StartError, match="this process holds an instance already"):
        chain(once(3, declared=False))


def test_isolation_holds_for_the_first_instance(fmi: int) -> None:
    """If runs are isolated, this process holds no instance. Each run of a session is as asked."""
    system = System("pair")
    for name in "ab":
        system.add(name, once(fmi))
    system.add("mine", once(fmi), process="own")
    results = [system.simulate(0.1, isolate=which) for which in ("none", "foreign", "none", "foreign")]
    assert [set(each.printed) for each in results] == [{"b", "mine"}, {"a", "b", "mine"}] * 2


# Needed since a sandbox is a feature of the kernel (Landlock), which containers may lack.
@pytest.mark.skipif(bool(lacks()), reason="no sandbox here")
def test_each_process_is_in_the_sandbox() -> None:
    model = replace(OSCILLATOR, hooks={"initialize": 'if (!fopen("/etc/hostname", "r") && !fopen("/etc/passwd", "r")) me->v[1] = 7;'})
    system = System("pair")
    for name in "ab":
        system.add(name, export(model, 3, changes=DECLARED))
    for sandbox, found in ((False, 0.0), (True, 7.0)):
        result = system.simulate(0.1, outputs=["a.u", "b.u"], isolate=Isolation(which="foreign", sandbox=sandbox))
        assert [result["a.u"][0], result["b.u"][0]] == [found, found]
