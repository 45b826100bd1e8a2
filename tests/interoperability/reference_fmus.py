"""Reference FMUs of the Modelica Association, from their sources, against FMPy: ``python -m tests.interoperability.reference_fmus FOLDER``.

FOLDER is a checkout of github.com/modelica/Reference-FMUs. Jourdain gets archives with sources alone, laid out as CMakeLists.txt of that
repository does it; those of FMI 1.0 have one file with all of them, since the standard names no sources. FMPy gets the same archives with a binary that this script compiles by the options of that file. The program prints a
table: the largest difference of an output, in its range; or the sentence of a refusal. It ends with 1 if a difference exceeds the limit.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy as np

from coupling import System
from coupling.fmus import Fmu, load

LIMIT = 1e-3
"""Largest difference in the range of an output, as the cross-check of FMI has it; the steps of Co-Simulation are the same, and nearly equal."""
LONGEST = 100.0
"""Seconds that a run takes at most; the stop time of one model is 1e8 s."""
KINDS = {"me": "ModelExchange", "cs": "CoSimulation"}
VARIANTS = ("1ME", "1CS", "2", "3")
"""Versions, and in FMI 1.0 kinds, as the names of description files have them. The last commit with FMI 1.0 is c8d4e6d."""


def definitions(variant: str) -> list[str]:
    """Returns the macros with which a variant is compiled."""
    return [f"FMI_VERSION {variant[0]}", "DISABLE_PREFIX", *(["FMI_COSIMULATION"] if variant == "1CS" else [])]


def in_one_file(root: Path, model: Path, variant: str) -> dict[str, bytes]:
    """Returns the sources of FMI 1.0 as one file with its headers."""
    headers = [
        model / "config.h",
        *(root / "include").glob("fmi[MPF]*.h"),
        *(root / "include" / name for name in ("model.h", "cosimulation.h")),
    ]
    parts = [root / "src" / "fmi1Functions.c", model / "model.c", root / "src" / "cosimulation.c"]
    text = "".join(f"#define {each}\n" for each in definitions(variant)).encode() + b"".join(each.read_bytes() for each in parts)
    return {"sources/all.c": text, **{f"sources/{each.name}": each.read_bytes() for each in headers}}


def files_of(root: Path, model: Path, variant: str) -> dict[str, bytes]:
    """Returns the content of an FMU that has only sources, by the paths in its archive."""
    version = int(variant[0])
    files = in_one_file(root, model, variant) if version == 1 else sources_of(root, model, version)
    files["modelDescription.xml"] = (model / f"FMI{variant}.xml").read_bytes()
    resources = model / "resources"
    files |= {f"resources/{each.name}": each.read_bytes() for each in resources.glob("*") if each.is_file()}
    if (model / "fmi-ls-dae.xml").is_file():
        files["extra/org.fmi-standard.fmi-ls-dae/fmi-ls-manifest.xml"] = (model / "fmi-ls-dae.xml").read_bytes()
    return files


def sources_of(root: Path, model: Path, version: int) -> dict[str, bytes]:
    """Returns the sources of FMI 2.0 and 3.0, with what says how to compile them."""
    sources = [model / "config.h", model / "model.c", *(root / "include" / name for name in ("model.h", "cosimulation.h"))]
    sources += [root / "src" / name for name in (f"fmi{version}Functions.c", "cosimulation.c")]
    files = {f"sources/{path.name}": path.read_bytes() for path in sources}
    if version == 2:
        included = "".join(f'#include "{name}"\n' for name in ("fmi2Functions.c", "model.c", "cosimulation.c"))
        files["sources/all.c"] = f"#define FMI_VERSION 2\n{included}".encode()
    else:
        files["sources/buildDescription.xml"] = (model / "buildDescription.xml").read_bytes()
    return files


def binary_of(root: Path, model: Path, variant: str, target: Path) -> bytes:
    """Returns a library by the options of the repository's own build."""
    sources = [model / "model.c", root / "src" / f"fmi{variant[0]}Functions.c", root / "src" / "cosimulation.c"]
    options = [
        *(f"-D{each.replace(' ', '=')}" for each in definitions(variant)),
        f"-I{root / 'include'}",
        f"-I{model}",
        "-O2",
        "-fPIC",
        "-shared",
    ]
    subprocess.run(["gcc", *options, *map(str, sources), "-o", str(target), "-lm"], check=True)
    return target.read_bytes()


def written(path: Path, files: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def by_jourdain(fmu: Fmu, kind: str, stop: float, step: float, outputs: list[str]) -> dict[str, np.ndarray]:
    system = System("reference")
    system.add("fmu", fmu, kind=kind)
    times = {"communication_step": step} if kind == "cs" else {"output_interval": step, "solver": "cvode"}
    result = system.simulate(stop, outputs=[f"fmu.{name}" for name in outputs], rtol=1e-9, **times)
    if not result.outcome.completed and result.outcome.ending.name != "TERMINATED":
        raise RuntimeError(result.outcome.sentence)
    return {"time": result.time, **{name: result[f"fmu.{name}"] for name in outputs}}


def by_fmpy(path: Path, kind: str, stop: float, step: float, outputs: list[str]) -> dict[str, np.ndarray]:
    wanted = list(dict.fromkeys(name.partition("[")[0] for name in outputs))
    result = fmpy.simulate_fmu(
        str(path), fmi_type=KINDS[kind], stop_time=stop, step_size=step, output_interval=step, output=wanted, relative_tolerance=1e-9
    )
    columns = {
        name: result[name] if "[" not in name else result[name.partition("[")[0]][:, int(name[:-1].partition("[")[2]) - 1]
        for name in outputs
    }
    return {"time": result["time"], **columns}


def difference(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray], outputs: list[str], step: float) -> float:
    """Returns the largest difference in the range of an output, at the times of both; within one step of an event it does not count."""
    worst = 0.0
    for name in outputs:
        mine = np.asarray(ours[name], float)
        other = np.interp(ours["time"], theirs["time"], np.asarray(theirs[name], float))
        common = np.array(
            [np.sum(np.abs(theirs["time"] - t) < 1e-9) == 1 and np.sum(np.abs(ours["time"] - t) < 1e-9) == 1 for t in ours["time"]]
        )
        size = max(float(np.ptp(theirs[name].astype(float))), 1e-12)
        apart = np.abs(mine - other)
        near = np.minimum.reduce(
            [np.abs(mine - np.interp(ours["time"] + s, theirs["time"], theirs[name].astype(float))) for s in (-step, 0, step)]
        )
        jumps = apart > LIMIT * size
        worst = max(worst, float(np.max(np.where(jumps, near, apart)[common], initial=0.0)) / size)
    return worst


def cases(root: Path, folder: Path) -> Iterator[tuple[str, int, str, str, float]]:
    """Yields model, version, kind, the sentence of a refusal or an empty one, and the largest difference."""
    for model in sorted(each.parent for each in root.glob("*/model.c")):
        for variant in VARIANTS:
            if not (model / f"FMI{variant}.xml").is_file():
                continue
            version, files = int(variant[0]), files_of(root, model, variant)
            path = written(folder / f"sources{variant}" / f"{model.name}.fmu", files)
            place = "x86_64-linux" if version == 3 else "linux64"
            binary = binary_of(root, model, variant, folder / "library.so")
            whole = written(folder / f"binary{variant}" / f"{model.name}.fmu", {**files, f"binaries/{place}/{model.name}.so": binary})
            fmu = load(path)
            offered = [kind for kind, interface in (("me", fmu.model_exchange), ("cs", fmu.co_simulation)) if interface is not None]
            if not offered:
                yield model.name, version, "-", "it offers Scheduled Execution alone", 0.0
            for kind in offered:
                yield (model.name, version, kind, *compared(fmu, whole, kind))


def compared(fmu: Fmu, whole: Path, kind: str) -> tuple[str, float]:
    stop = min(fmu.default_stop_time or 1.0, LONGEST)
    description = fmpy.read_model_description(str(whole))
    step = float(description.defaultExperiment.stepSize or stop / 100) if description.defaultExperiment else stop / 100
    outputs = [v.name for v in fmu.variables.values() if v.causality == "output" and v.type in ("real", "integer", "boolean")]
    try:
        ours = by_jourdain(fmu, kind, stop, step, outputs)
    except (ValueError, RuntimeError) as error:
        return str(error), 0.0
    return "", difference(ours, by_fmpy(whole, kind, stop, step, outputs), outputs, step)


def main(root: Path) -> int:
    wrong = 0
    print(f"{'model':14}{'FMI':>4}{'kind':>5}  difference in the range of an output, or the refusal")
    with tempfile.TemporaryDirectory() as folder:
        for model, version, kind, refusal, worst in cases(root.resolve(), Path(folder)):
            wrong += worst > LIMIT
            print(f"{model:14}{version:4}{kind:>5}  {refusal or format(worst, '.1e')}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
