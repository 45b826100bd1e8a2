"""``jourdain explain``: one evaluation of a system as text."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from typing import Any

from jourdain.verbs.common import COMPLETED, WrongUse, add_kind, add_run_options, number, run_of, system_of

_RECORDS = ("record", "interval", "communication_step")


def add_to(verbs: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        "explain",
        help="show one evaluation: multipliers, violations, factors, redundant constraints",
        description="Shows one evaluation of a system: the way of evaluation, the stabilisation of constraints, "
        "their violations, multipliers, right sides and factors, redundant constraints, and modes of switched joints.",
    )
    parser.add_argument("system", metavar="SYSTEM", help="file.py[:name], .ssp or .fmu")
    parser.add_argument(
        "--at", type=number, metavar="SECONDS", help="time of the evaluation, after a run up to it (default: the start, after assembly)"
    )
    add_run_options(parser)
    add_kind(parser)
    parser.set_defaults(verb=_explain)
    return parser


def _explain(chosen: argparse.Namespace) -> int:
    for name in _RECORDS:
        if getattr(chosen, name) is not None:
            raise WrongUse(
                f"--{name.replace('_', '-')}: one evaluation is shown, and nothing is recorded or coupled in steps; leave it out"
            )
    system = system_of(chosen.system, chosen.kind)
    end = system.settings.get("stop_time") if chosen.stop is None else chosen.stop
    if chosen.at is not None and end is not None and chosen.at > end:
        raise WrongUse(f"--at {chosen.at:g}: the run ends at {end:g} s; give an earlier time, or a later end: --stop {chosen.at:g}")
    chosen.stop = end or 0.0
    _, settings, start_values = run_of(chosen, system)
    options = {name: value for name, value in settings.items() if name not in ("output_interval", "output_times", "outputs")}
    found = system.explain(chosen.at, start_values=start_values, **options)
    print(json.dumps(_known(asdict(found))) if chosen.json else found)
    return COMPLETED


def _known(value: Any) -> Any:
    """Returns the value with null in place of infinite numbers and NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _known(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_known(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
