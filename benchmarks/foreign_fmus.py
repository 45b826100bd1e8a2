"""FMUs of other tools in Jourdain and in FMPy: a table of those that run, that are refused, and that differ.

``python benchmarks/foreign_fmus.py FOLDER`` runs every FMU below a folder in every kind that it offers, alone and with its inputs at their
start values. Each run has a process and a time limit. Both masters use the same stop time and output times, and in Co-Simulation the same
communication step.

Values are compared at 201 times. A value counts as different if it lies outside of the values of FMPy within one output interval before and
after, by more than 1e-3 of the range of FMPy's values. Therefore events may differ by one output interval.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

import numpy as np
from fmpy import simulate_fmu

from coupling import System

FORK = get_context("fork")  # the masters are imported once
POINTS = 201
LONGEST = 10.0  # seconds that a run lasts at most
MOST = 50  # variables that are compared
TOLERANCE = 1e-3  # of the range of a variable
TEXTS = ("String", "Binary", "Clock")
KINDS = {"me": "ModelExchange", "cs": "CoSimulation"}


def compared(path: Path) -> tuple[list[str], float]:
    """Returns the names of the variables that are compared, and the stop time, by the description alone."""
    root = described(path)
    scalars = [each for each in root.iterfind("ModelVariables/*") if each.find("Dimension") is None and each.tag not in TEXTS]
    scalars = [each for each in scalars if not any(each.find(tag) is not None for tag in TEXTS)]
    outputs = [each for each in scalars if each.get("causality") == "output"]
    others = [
        each for each in scalars if each.get("causality") in (None, "local", "internal") and each.get("variability") in (None, "continuous")
    ]
    experiment = root.find("DefaultExperiment")
    start, stop = (float((experiment.get(key) if experiment is not None else None) or 0) for key in ("startTime", "stopTime"))
    return [each.get("name") or "" for each in outputs or others][:MOST], min(stop - start if stop > start else 1.0, LONGEST)


def by_fmpy(path: Path, kind: str) -> dict[str, Any]:
    names, stop = compared(path)
    rows = simulate_fmu(
        str(path),
        validate=False,
        fmi_type=KINDS[kind],
        start_time=0.0,
        stop_time=stop,
        output=names,
        output_interval=stop / (POINTS - 1),
        relative_tolerance=1e-8,
    )
    return sampled(rows["time"], {name: np.asarray(rows[name], float) for name in names}, stop)


def by_jourdain(path: Path, kind: str) -> dict[str, Any]:
    names, stop = compared(path)
    system = System("alone")
    system.add("fmu", path, kind=kind)
    step = {"communication_step": stop / (POINTS - 1), "scheme": "explicit"} if kind == "cs" else {"rtol": 1e-8, "solver": "cvode"}
    result = system.simulate(stop, outputs=[f"fmu.{name}" for name in names] or None, output_interval=stop / (POINTS - 1), **step)
    values = {name: result[f"fmu.{name}"] for name in names}
    return {"ended": "" if result.outcome.completed else result.outcome.sentence} | sampled(result.time, values, stop)


def sampled(time: np.ndarray, values: dict[str, np.ndarray], stop: float) -> dict[str, Any]:
    """Returns values after all events at the output times, up to the end of the run."""
    wanted = np.linspace(0.0, stop, POINTS)
    wanted = wanted[wanted <= time[-1] * (1 + 1e-9)]
    at = np.searchsorted(time, wanted * (1 + 1e-12) + 1e-12, side="right") - 1
    return {"rows": len(at), "values": {name: column[at].tolist() for name, column in values.items()}}


def difference(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> tuple[float, str]:
    """Returns the largest distance of our values from those of FMPy near the same time, by their range, and the variable."""
    worst, where = 0.0, ""
    for name, column in theirs.items():
        length = min(len(column), len(ours[name]))
        b, a = np.array(column[:length]), np.array(ours[name][:length])
        if not length or not np.isfinite(b).all():
            continue
        padded = np.concatenate([b[:1], b, b[-1:]])
        low, high = (f([padded[:-2], padded[1:-1], padded[2:]]) for f in (lambda x: np.min(x, axis=0), lambda x: np.max(x, axis=0)))
        apart = np.maximum(np.maximum(low - a, a - high), 0.0).max()
        found = float(apart / max(np.ptp(b), 1e-6 * np.abs(b).max(), 1e-12))
        if not found <= worst:
            worst, where = found, name
    return worst, where


def run_apart(master: str, path: Path, kind: str, timeout: float) -> dict[str, Any]:
    """Returns what a master says in a process of its own, or the reason why it says nothing, as ``error``."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_answer, args=(sender, master, path, kind))
    process.start()
    sender.close()
    try:
        said = receiver.recv() if receiver.poll(timeout) else {"error": f"did not return within {timeout:g} s"}
    except EOFError:
        process.join()
        said = {"error": f"ended its process by signal {-process.exitcode}" if process.exitcode < 0 else f"exit code {process.exitcode}"}
    process.kill()
    process.join()
    return said


def _answer(sender: Any, master: str, path: Path, kind: str) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # FMUs print
        os.dup2(silent, stream)
    try:
        said = (by_fmpy if master == "fmpy" else by_jourdain)(path, kind)
    except Exception as error:  # whatever a master raises is what is shown
        said = {"error": f"{type(error).__name__}: {error}"}
    sender.send(said)


def described(path: Path) -> Element:
    with zipfile.ZipFile(path) as archive:
        return fromstring(archive.read("modelDescription.xml"))


def offered(path: Path) -> tuple[str, str, list[str]]:
    """Returns the tool, the version and the kinds of an FMU, by its description alone."""
    root = described(path)
    version = root.get("fmiVersion") or "?"
    if version.startswith("1"):
        kinds = ["me" if root.find("Implementation") is None else "cs"]
    else:
        kinds = [kind for kind, tag in KINDS.items() if root.find(tag) is not None]
    return root.get("generationTool") or "-", version, kinds


def judged(path: Path, kind: str, timeout: float) -> dict[str, Any]:
    """Returns what became of one FMU in one kind."""
    theirs, ours = (run_apart(master, path, kind, timeout) for master in ("fmpy", "jourdain"))
    found: dict[str, Any] = {"fmpy": theirs.get("error", ""), "jourdain": ours.get("error") or ours.get("ended", "")}
    if "values" in theirs and "values" in ours:
        found["difference"], found["variable"] = difference(ours["values"], theirs["values"])
        if ours["ended"] and abs(ours["rows"] - theirs["rows"]) <= 1:  # both end where the FMU asks for it
            found["jourdain"] = ""
    if found.get("difference", 0.0) > TOLERANCE:
        found["verdict"] = "differs"
    else:
        found["verdict"] = "runs" if not found["jourdain"] else "stops" if "values" in ours else "refused"
    return found


def rows(folder: Path, timeout: float) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*.fmu")):
        said = {"file": str(path.relative_to(folder))}
        try:
            tool, version, kinds = offered(path)
        except (zipfile.BadZipFile, KeyError, OSError, ParseError) as error:
            yield said | {"tool": "-", "version": "?", "kind": "-", "verdict": "no FMU", "fmpy": "", "jourdain": str(error)}
            continue
        for kind in kinds:
            yield said | {"tool": tool, "version": version, "kind": kind} | judged(path, kind, timeout)


def summary(found: list[dict[str, Any]]) -> Iterator[str]:
    """Yields a table by tool, version and kind, in Markdown."""
    yield "| tool | FMI | kind | FMUs | run in FMPy | run in Jourdain | differ | run in FMPy alone |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for each in found:
        groups.setdefault((each["tool"], each["version"], each["kind"]), []).append(each)
    for (tool, version, kind), group in sorted(groups.items()):
        theirs = [each for each in group if not each["fmpy"] and each["verdict"] != "no FMU"]
        ours = [each for each in group if each["verdict"] in ("runs", "differs")]
        differ = [each for each in group if each["verdict"] == "differs"]
        alone = [each for each in theirs if each not in ours]
        yield f"| {tool} | {version} | {kind} | {len(group)} | {len(theirs)} | {len(ours)} | {len(differ)} | {len(alone)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Runs all FMUs below a folder in Jourdain and in FMPy, and prints a table.")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="longest time of a run (default: %(default)g)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for all results")
    chosen = parser.parse_args()
    found = []
    for each in rows(chosen.folder, chosen.timeout):
        found.append(each)
        apart = f", {each['difference']:.1e} ({each['variable']})" if "difference" in each else ""
        print(f"{each['verdict']:8} {each['kind']} {each['file']}{apart}")
        for master in ("fmpy", "jourdain"):
            if each[master]:
                print(f"         {master}: {' '.join(each[master].split())[:600]}")
        sys.stdout.flush()
    print("\n".join(summary(found)))
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
