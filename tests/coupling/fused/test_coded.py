"""Systems that run as compiled code: the same numbers as by tapes and by their FMUs, kept by structure."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from coupling import Isolation, System
from coupling.fmus import cache
from coupling.fused import c_loops, coded, compiled, kept, written
from coupling.fused.compiled import NotCompiled
from coupling.kernel.equations.fused import Stage
from coupling.kernel.hosts.sandbox import lacks
from coupling.live import fused
from coupling.plan.build import build
from coupling.plan.kinds import Mode
from coupling.sweep import sweep
from tests.coupling.live.test_stabilisation import four_bars, moving
from tests.support.fused.chains import chain
from tests.support.systems.kept import bits
from tests.support.systems.machines import example


def built(system: System):
    return build(system.definition, Mode.PROJECTED)


def final(system: System, **options) -> np.ndarray:
    return np.array(system.simulate(0.2, rtol=1e-9, outputs=["rod*"], output_times=[0.2], **options).values[-1])


@pytest.mark.parametrize("straight", [3000, 0], ids=["straight", "loops"])
def test_compiled_code_runs_as_the_fmus_do(straight, monkeypatch, tmp_path):
    """The code has loops over repeated parts, or none; the summary reports the way of evaluation."""
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(written, "STRAIGHT", straight)
    result = chain(4).simulate(0.2, rtol=1e-9, outputs=["rod*"], output_times=[0.2], evaluation="compiled")
    assert result.statistics.evaluated == "by compiled code of their equations"
    assert not result.outcome.warnings
    expected = final(chain(4), evaluation="fmus")
    assert np.max(np.abs(np.array(result.values[-1]) - expected)) <= 1e-11 * np.max(np.abs(expected))


@pytest.mark.slow
@pytest.mark.parametrize("omitted", ["", "before", "after"])
def test_code_is_judged_where_the_equations_are_singular(omitted, monkeypatch):
    """The loop of a walking leg is so with the numbers by which code and tape are compared: its equations are, and what follows from unknowns."""
    functions = coded.functions

    def changed(text, names):
        head, tail = text.split(f"void jourdain_{omitted}(")
        return functions(f"{head}void jourdain_{omitted}({tail.replace('run(code, w);', '', 1)}", names)

    monkeypatch.setattr(coded, "functions", changed if omitted else functions)
    result = example("36_walking_leg").system().simulate(0.01, evaluation="compiled", initial="assemble")
    assert result.statistics.evaluated == ("by a tape of their equations" if omitted else "by compiled code of their equations")
    assert any("gives other derivatives than the tape" in each for each in result.outcome.warnings) == bool(omitted)


def test_the_same_way_gives_the_same_bits():
    assert np.array_equal(final(chain(3), evaluation="compiled"), final(chain(3), evaluation="compiled"))


def test_names_and_values_are_not_in_the_key():
    key = kept.key_of(built(chain(2)), "c")
    assert kept.key_of(built(chain(2, name="stick", m=3.0)), "c") == key
    assert kept.key_of(built(chain(3)), "c") != key
    assert kept.key_of(built(chain(2)), "tapes") != key


def test_a_class_that_is_edited_has_another_key():
    """The digest of its FMU is another one."""
    known = built(chain(1))
    edited = copy(known.parts[1].fmu)
    object.__setattr__(edited, "sha256", "another")
    parts = tuple(replace(part, fmu=edited) if part.fmu is known.parts[1].fmu else part for part in known.parts)
    assert kept.key_of(replace(known, parts=parts), "c") != kept.key_of(known, "c")


def test_a_system_is_lowered_and_compiled_once(monkeypatch, tmp_path):
    """The cached code serves systems of other names and values, and other processes."""
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    calls: list[str] = []
    lower, compile_ = coded.Stages, compiled.shared_library
    monkeypatch.setattr(coded, "Stages", lambda *given: (calls.append("lowered"), lower(*given))[1])
    monkeypatch.setattr(compiled, "shared_library", lambda *given: (calls.append("compiled"), compile_(*given))[1])
    monkeypatch.setattr(compiled, "_loaded", {})
    monkeypatch.setattr(kept, "_known", {})
    final(chain(2), evaluation="compiled")
    final(chain(2, m=2.0), evaluation="compiled")
    assert calls == ["lowered", "compiled", "compiled"]  # tapes and C from the same graph, and what is recorded


def test_structures_are_kept_in_files_that_are_not_held_open(monkeypatch, tmp_path):
    """However many a process runs; in another one they are read, in the same one not even that."""
    final(chain(1))
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kept, "_known", {})
    monkeypatch.setattr(cache, "_held", dict(cache._held))
    before = len(cache._held)
    first = final(chain(1))
    assert len(cache._held) == before and len(list((tmp_path / "fused").iterdir())) == len(kept._known) > 0
    monkeypatch.setattr(coded, "Stages", lambda built: None)  # it is not lowered again
    monkeypatch.setattr(kept, "_known", {})
    assert np.array_equal(final(chain(1, m=1.0)), first)
    monkeypatch.setattr(kept, "restored", None)
    assert np.array_equal(final(chain(1)), first)


def test_without_a_compiler_the_tape_runs_and_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(coded, "functions", fail)
    result = chain(2).simulate(0.1, evaluation="compiled")
    assert result.outcome.warnings == [
        "evaluation = 'compiled': no C compiler was found; derivatives were found by a tape of their equations"
    ]
    assert result.statistics.evaluated == "by a tape of their equations"


@pytest.mark.parametrize(("evaluation", "said"), [("compiled", fused.BY_CODE), ("tape", fused.BY_TAPE)])
def test_runs_in_a_process_of_their_own_have_the_same_bits(evaluation, said):
    """Code is loaded there, and tapes lie in memory that both processes see."""
    options = {"output_times": [0.1, 0.2], "start_values": moving(1, 1.0), "evaluation": evaluation}
    here, there = (four_bars(1).simulate(0.2, isolate=isolate, **options) for isolate in ("none", "all"))
    assert not there.outcome.warnings
    assert (there.statistics.evaluated, there.statistics.by_fmus) == (said, 0)
    assert bits(here) == bits(there)


def test_in_a_sandbox_no_code_is_loaded_but_that_of_fmus():
    if lacks():
        # Kernels before Linux 6.2 have no sandbox, and runs that ask for one are refused there.
        pytest.skip(lacks())
    result = chain(1).simulate(0.1, evaluation="compiled", isolate=Isolation(which="all", sandbox=True))
    assert result.outcome.completed and result.statistics.evaluated == fused.BY_TAPE
    assert result.outcome.warnings == [
        "evaluation = 'compiled': a sandbox opens no files but those of FMUs; leave sandbox out for compiled code; derivatives were found by a tape of their equations"
    ]


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
def test_constraints_of_closed_loops_are_read_by_a_tape_beside_compiled_code(stabilisation):
    """Its workspace begins where that of the code ends."""
    ours, theirs = (
        four_bars(2).simulate(0.5, output_times=[0.5], start_values=moving(2, 1.0), stabilisation=stabilisation, evaluation=evaluation)
        for evaluation in ("compiled", "fmus")
    )
    assert (ours.statistics.evaluated, ours.statistics.by_fmus) == (fused.BY_CODE, 0)
    assert ours.statistics.evaluations == theirs.statistics.evaluations
    assert np.allclose(ours.values[-1], theirs.values[-1], rtol=0, atol=1e-9 * np.max(np.abs(theirs.values[-1])))


def fail(*given: object) -> None:
    raise NotCompiled("no C compiler was found")


def test_code_that_says_something_else_is_not_taken(monkeypatch):
    """A compiler that computes otherwise, as one that takes sums apart."""
    code = coded.compiled(built(chain(2)))
    wrong = {**code.functions, Stage.AFTER: code.functions[Stage.BEFORE]}
    assert coded._same(coded.tapes_of(built(chain(2))), code.taped, code.functions)
    assert not coded._same(coded.tapes_of(built(chain(2))), code.taped, wrong)


def test_what_neither_repeats_nor_is_short_is_not_compiled(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    for module, name in ((written, "STRAIGHT"), (written, "LONGEST"), (c_loops, "MOST_SHAPES")):
        monkeypatch.setattr(module, name, 1)
    with pytest.raises(
        NotCompiled, match=r"the system has \d+ operations, too many to be compiled one by one, and too little among them repeats"
    ):
        coded.compiled(built(chain(2)))


def test_a_sweep_compiles_once_and_decides_for_all_runs(monkeypatch):
    """Its workers find what has been compiled; where there is no compiler none of them looks for one."""
    points = {"rod0.m": [1.0, 2.0, 3.0]}
    by_code = sweep(chain(2), points, stop_time=0.1, evaluation="compiled", executor="threads")
    by_tape = sweep(chain(2), points, stop_time=0.1, evaluation="tape")
    assert np.allclose(by_code["rod1.theta"], by_tape["rod1.theta"], rtol=1e-9)
    assert np.array_equal(sweep(chain(2), points, stop_time=0.1, executor="threads")["rod1.theta"], by_tape["rod1.theta"])
    assert not by_code.outcome.warnings
    monkeypatch.setattr(coded, "functions", fail)
    table = sweep(chain(2), points, stop_time=0.1, evaluation="compiled")
    assert np.array_equal(table["rod1.theta"], by_tape["rod1.theta"])
    assert table.outcome.warnings == [
        "evaluation = 'compiled': no C compiler was found; derivatives were found by a tape of their equations"
    ]
