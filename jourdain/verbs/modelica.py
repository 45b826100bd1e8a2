"""``jourdain modelica``: a system as a Modelica model."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

from jourdain.verbs.common import COMPLETED, system_of


def add_to(verbs: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        "modelica",
        help="write a system as a Modelica model",
        description="Writes a system as a Modelica model for OpenModelica: as equations, or as an FMU with a model around it and a script that "
        "imports both.",
        epilog="The native form needs components of the catalogue, or declared in Python, that do not switch.",
    )
    parser.add_argument("system", metavar="SYSTEM", help="file.py[:name] or .ssp")
    parser.add_argument("--form", choices=("native", "fmu"), help="equations, or an FMU (default: native where it is possible)")
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="the folder of the model (default: this one)")
    parser.add_argument("--inputs", action="append", metavar="NAME", help="a port or input that becomes a connector; may be repeated")
    parser.add_argument("--outputs", action="append", metavar="NAME", help="an output that becomes a connector; may be repeated")
    parser.add_argument("--initial", choices=("check", "assemble"), default="check", help="treatment of a start that violates constraints")
    parser.add_argument("--build", action="store_true", help="have omc on the PATH build an FMU of a native model, or import the FMU")
    parser.set_defaults(verb=_modelica)
    return parser


def _modelica(chosen: argparse.Namespace) -> int:
    from coupling.modelica.whole import ModelicaNote

    system = system_of(chosen.system)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = system.to_modelica(chosen.out, form=chosen.form, inputs=chosen.inputs, outputs=chosen.outputs, initial=chosen.initial)
    notes = [str(each.message) for each in caught]
    for note in notes:
        print(f"jourdain: {note}", file=sys.stderr)
    form = "fmu" if chosen.form == "fmu" or any(issubclass(each.category, ModelicaNote) for each in caught) else "native"
    written = [model, *([model.with_suffix(".fmu"), model.with_suffix(".mos")] if form == "fmu" else [])]
    if chosen.build:
        from coupling.modelica.omc import build_model

        written.append(build_model(model, form))
    paths = list(map(str, written))
    print(json.dumps({"form": form, "written": paths, "notes": notes}) if chosen.json else "\n".join(paths))
    return COMPLETED
