"""Misdeeds of unruly FMUs, and the promised end of a run with each of them: in separate processes, or in one process with the whole run."""

from __future__ import annotations

from dataclasses import dataclass

COMPLETED, DIED, TIMED_OUT, FAILED, NOT_FINITE = "COMPLETED", "PROCESS_DIED", "TIMED_OUT", "FMU_FAILED", "NOT_FINITE"


@dataclass(frozen=True, kw_only=True)
class Misdeed:
    does: str
    at: str = ""
    """The function; empty: that which a run calls most, ``get`` in Model Exchange and ``do step`` in Co-Simulation."""
    number: int = 0
    """Number of the call; 0 is one in the middle of the run."""
    ends: str = DIED
    """The name of the ending, of a run or of the error of a start."""
    says: str
    """Words in the sentence, beside the instance and the function."""
    kinds: tuple[str, ...] = ("me", "cs")
    versions: tuple[int, ...] = (1, 2, 3)
    stage: str = "run"
    """``start``, ``run``, ``end`` (after the last row), ``again`` (when the next run begins)."""
    quick: bool = False


def _crash(at: str, number: int = 1, **others: object) -> Misdeed:
    return Misdeed(does="crash", at=at, number=number, says="crashed (segmentation fault)", **others)  # type: ignore[arg-type]  # fields by name


MISDEEDS = {
    "crash in instantiation": _crash("instantiate", stage="start"),
    "crash in setting up": _crash("set up", stage="start", versions=(2,)),
    "crash in entering initialisation": _crash("enter initialisation", stage="start"),
    "crash in leaving initialisation": _crash("exit initialisation", stage="start", versions=(2, 3), quick=True),
    "crash in the event update": _crash("event update", stage="start", kinds=("me",)),
    "crash in getting": _crash("get", 50),
    "crash in setting": _crash("set", 50, quick=True),
    "crash in setting the time": _crash("time", 50, kinds=("me",)),
    "crash in setting states": _crash("states", 50, kinds=("me",)),
    "crash in event indicators": _crash("indicators", 3, kinds=("me",)),
    "crash in completing a step": _crash("completed step", 3, kinds=("me",)),
    "crash in a step": _crash("do step", 20, kinds=("cs",)),
    "crash in saving": _crash("save", 20, kinds=("cs",), versions=(2, 3)),
    "crash in restoring": _crash("restore", 2, kinds=("cs",), versions=(2, 3)),
    "crash in terminating": _crash("terminate", stage="end"),
    "crash in freeing": _crash("free", stage="end", quick=True),
    "crash in resetting": _crash("reset", stage="again", versions=(2, 3)),
    "crash in a thread": Misdeed(does="thread", says="crashed (segmentation fault)"),
    "exit": Misdeed(does="exit", says="exit(0)", quick=True),
    "_exit": Misdeed(does="_exit", says="_exit(3)"),
    "abort": Misdeed(does="abort", says="crashed (abort)"),
    "SIGKILL": Misdeed(does="kill", says="signal 9", quick=True),
    "SIGFPE": Misdeed(does="float", says="crashed (arithmetic exception)"),
    "SIGTERM": Misdeed(does="terminate", says="signal 15"),
    "stack overflow": Misdeed(does="stack", says="crashed (segmentation fault)", quick=True),
    "heap overwritten": Misdeed(does="heap", says="crashed ("),
    "endless loop": Misdeed(does="loop", ends=TIMED_OUT, says="did not return within", quick=True),
    "endless sleep": Misdeed(does="sleep", ends=TIMED_OUT, says="did not return within"),
    "stopped process": Misdeed(does="stop", ends=TIMED_OUT, says="did not return within"),
    "endless memory": Misdeed(does="memory", ends=FAILED, says="there is no memory left", quick=True),
    "status that there is not": Misdeed(does="status", ends=FAILED, says="it returned the status 42"),
    "not a number": Misdeed(does="nan", ends=NOT_FINITE, says="is not a finite number"),
    "flood of output": Misdeed(does="print", ends=COMPLETED, says="", quick=True),
    "flood of messages": Misdeed(does="log", ends=COMPLETED, says=""),
    "child left behind": Misdeed(does="fork", ends=COMPLETED, says="", quick=True),
    "descriptors closed": Misdeed(does="close", ends=COMPLETED, says=""),
}
