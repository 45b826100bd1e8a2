"""``jourdain test``: the description of an FMU, and a trial run in every kind that it offers."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jourdain.verbs.common import COMPLETED, ENDED_EARLY, WrongUse, bold, number, softly, start_value
from jourdain.verbs.trial import ENDINGS

if TYPE_CHECKING:
    from coupling.fmus import Fmu

_STEPS = 500
"""Number of steps of a trial run in Co-Simulation."""
_LONGEST = 100.0
"""Seconds that a trial runs unless --stop asks for more."""
_KINDS = {"me": "Model Exchange", "cs": "Co-Simulation"}


def add_to(verbs: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        "test",
        help="validate an FMU and run it in every kind",
        description="Reads an FMU, validates it with FMPy if that is installed, and runs it alone in every kind that it offers. Each run "
        "has its own process; an FMU that crashes or does not return is named. Ports of joints and force laws get a body each.",
        epilog="Exit codes: 0 nothing was found, 1 the FMU has a problem, 2 wrong use.",
    )
    parser.add_argument("file", type=Path, metavar="FILE.fmu", help="FMU of any tool")
    parser.add_argument(
        "--stop", type=number, metavar="SECONDS", help=f"stop time of the runs (default: that of the FMU, or 1; at most {_LONGEST:g})"
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a start value, such as m=2; may be repeated")
    parser.add_argument("--communication-step", type=number, metavar="SECONDS", help=f"in Co-Simulation (default: a {_STEPS}th of the run)")
    parser.add_argument("--timeout", type=number, default=60.0, metavar="SECONDS", help="longest time of a run (default: %(default)g)")
    parser.set_defaults(verb=softly(_test))
    return parser


def _test(chosen: argparse.Namespace) -> int:
    file: Path = chosen.file
    if not file.is_file():
        raise WrongUse(f"there is no file '{file}'; give the path of one that ends in .fmu")
    if not zipfile.is_zipfile(file):
        raise WrongUse(f"'{file}' is no FMU, which is a zip archive; give the path of one that ends in .fmu")
    for name, value in (("stop", chosen.stop), ("communication-step", chosen.communication_step), ("timeout", chosen.timeout)):
        if value is not None and not 0 < value < float("inf"):
            raise WrongUse(f"--{name} {value:g} is refused: give seconds, of more than 0")
    for each in chosen.set:
        start_value(each)
    said = _tested(file, chosen)
    if chosen.json:
        print(json.dumps(said))
    else:
        _print(said)
    return COMPLETED if said["passed"] else ENDED_EARLY


def _tested(file: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    from coupling.fmus import load

    validated_by, problems = _validated(file)
    said: dict[str, Any] = {"file": str(file)}
    try:
        fmu = load(file)
    except (ValueError, OSError) as error:
        return {**said, "validated by": validated_by, "problems": problems, "refused": [str(error)], "runs": {}, "passed": False}
    said |= {"FMI": f"{fmu.version}.0", "made by": fmu.generation_tool, "notes": list(fmu.notes)}
    offered = [kind for kind in _KINDS if getattr(fmu, _KINDS[kind].lower().replace(" ", "_").replace("-", "_")) is not None]
    refused = [] if offered else ["it offers neither Model Exchange nor Co-Simulation"]
    if not offered and fmu.scheduled:
        refused[0] += ", but Scheduled Execution, which is not supported; export it for one of the other kinds"
    if chosen.stop is None and (fmu.default_stop_time or 0) > _LONGEST:
        said["notes"].append(
            f"its default stop time is {fmu.default_stop_time:g} s: the runs end at {_LONGEST:g} s; give --stop for another time"
        )
    runs = {_KINDS[kind]: _run(file, fmu, kind, chosen) for kind in offered}
    passed = not problems and not refused and all(each["passed"] for each in runs.values())
    return {**said, "validated by": validated_by, "problems": problems, "refused": refused, "runs": runs, "passed": passed}


def _validated(file: Path) -> tuple[str | None, list[str]]:
    """Returns the name of the validator, if one is installed, and its findings."""
    try:
        from importlib.metadata import version

        from fmpy.validation import validate_fmu
    except ImportError:
        return None, []
    found: list[str] = validate_fmu(str(file))
    return f"FMPy {version('fmpy')}", found


def _run(file: Path, fmu: Fmu, kind: str, chosen: argparse.Namespace) -> dict[str, Any]:
    """Returns the result of a run in a separate process."""
    stop = chosen.stop or min(fmu.default_stop_time or 1.0, _LONGEST)
    options = {"stop_time": stop} | ({"communication_step": chosen.communication_step or stop / _STEPS} if kind == "cs" else {})
    asked = {"kind": kind, "options": options, "start_values": dict(map(start_value, chosen.set))}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "jourdain.verbs.trial", str(file), json.dumps(asked)],
            capture_output=True,
            text=True,
            timeout=chosen.timeout,
        )
    except subprocess.TimeoutExpired:
        return _ended(f"did not return within {chosen.timeout:g} s; give more by --timeout, or another start by --set")
    if done.returncode < 0:
        return _ended(f"ended its process by signal {-done.returncode} ({signal.strsignal(-done.returncode)})")
    try:
        said = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):  # the FMU may have ended the process itself
        last = done.stderr.strip().splitlines()[-1:] or [f"ended its process with exit code {done.returncode}"]
        return _ended(last[0].removeprefix("jourdain: "))
    return {"completed": said["ending"] == "COMPLETED", "passed": said.pop("ending") in ENDINGS, **said}


def _ended(sentence: str) -> dict[str, Any]:
    return {"completed": False, "passed": False, "sentence": sentence, "warnings": [], "rows": 0, "bodies": []}


def _print(said: dict[str, Any]) -> None:
    made = f": FMI {said['FMI']}, generated by {said['made by']}" if "FMI" in said else ""
    print(f"{bold(said['file'])}{made}")
    if by := said["validated by"]:
        print(f"validated by {by}: {len(said['problems']) or 'no'} problem{'s' * (len(said['problems']) != 1)}")
    else:
        print("not validated by the schemas, for which FMPy is needed: pip install fmpy")
    for each in said["problems"]:
        print(f"  {each}")
    for each in said["refused"]:
        print(f"refused by Jourdain: {each}")
    for each in said.get("notes", ()):
        print(f"note: {each}")
    for kind, run in said["runs"].items():
        bodies = f"with a body at {', '.join(run['bodies'])}, " if run["bodies"] else ""
        print(f"{kind}: {bodies}{run['sentence']}" + (f", {run['rows']} rows" if run["rows"] else ""))
        for each in run["warnings"]:
            print(f"  warning: {each}")
    print(bold("passed" if said["passed"] else "not passed"))
