"""A body's set and get of its port variables against the bare arithmetic of the same equations in one C function.

Both are called from the same C loop with changing values; times are medians over interleaved runs, in nanoseconds per round.
The checksums of both show that they compute the same.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import zipfile
from pathlib import Path

import sympy

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.export.build import cached_fmu
from fmu_components.export.c_code import expression_printer
from fmu_components.export.compile import PLATFORMS, STANDARD
from fmu_components.export.table import VariableTable

CASES = {"i": "wrenches change", "s": "states and wrenches change"}


def bare_source(table: VariableTable) -> str:
    """Returns all port outputs and derivatives in one C function, with SymPy's common subexpressions."""
    groups = {"parameters": Role.PARAMETER, "states": Role.STATE, "inputs": Role.INPUT}
    names = {v.symbol: f"{group}[{i}]" for group, role in groups.items() for i, v in enumerate(table.with_role(role))}
    targets = [(f"outputs[{i}]", v) for i, v in enumerate(port_outputs(table))]
    targets += [(f"derivatives[{i}]", v) for i, v in enumerate(table.with_role(Role.DERIVATIVE))]
    shared, reduced = sympy.cse([table.declared.expand(v.symbol) for _, v in targets], order="none")
    printer = expression_printer(names)
    lines = [f"const double {s} = {printer.doprint(e)};" for s, e in shared]
    lines += [f"{where} = {printer.doprint(e)};" for (where, _), e in zip(targets, reduced, strict=True)]
    return (
        "#include <math.h>\nvoid bare(const double *parameters, const double *states, const double *inputs, double *outputs, "
        "double *derivatives)\n{\n" + "\n".join(lines) + "\n}\n"
    )


def port_outputs(table: VariableTable):
    return [v for v in table.with_role(Role.OUTPUT) if v.port]


def case_header(table: VariableTable) -> str:
    def numbers(name, kind, values):
        return f"static const {kind} {name}[] = {{{', '.join(map(str, values))}}};\n"

    return (
        f'#define GUID "{table.token}"\n#define STATES {len(table.with_role(Role.STATE))}\n#define INPUTS {len(table.with_role(Role.INPUT))}\n'
        f"#define OUTPUTS {len(port_outputs(table))}\n"
        + numbers("input_references", "fmi2ValueReference", table.references(Role.INPUT))
        + numbers("output_references", "fmi2ValueReference", [table.reference(v) for v in port_outputs(table)])
        + numbers("parameters", "double", [v.start for v in table.with_role(Role.PARAMETER)])
    )


def measure(name: str, rounds: int, repetitions: int) -> dict[str, tuple[float, float]]:
    """Returns for each case the median times of the FMU and of the bare function."""
    table = VariableTable(declaration(find(name)))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        library = folder / "body.so"
        with zipfile.ZipFile(cached_fmu(find(name), 2)) as archive:
            library.write_bytes(archive.read(f"binaries/linux64/{table.declared.identifier}.so"))
        (folder / "bare.c").write_text(bare_source(table))
        (folder / "case.h").write_text(case_header(table))
        program = folder / "runtime"
        subprocess.run(
            [
                PLATFORMS["linux64"].required_compiler(),
                "-O2",
                "-fno-math-errno",
                "-ffp-contract=off",
                f"-I{folder}",
                f"-I{STANDARD}",
                str(Path(__file__).with_suffix(".c")),
                str(folder / "bare.c"),
                "-o",
                str(program),
                "-lm",
                "-ldl",
            ],
            check=True,
        )
        found = {}
        for case in CASES:
            times: dict[str, list[float]] = {"f": [], "b": []}
            sums = {}
            for _ in range(repetitions):
                for side in times:
                    text = subprocess.run(
                        [program, library, side + case, str(rounds)], capture_output=True, text=True, check=True
                    ).stdout.split()
                    times[side].append(float(text[0]))
                    sums[side] = float(text[1])
            assert abs(sums["f"] - sums["b"]) < 1e-9 * abs(sums["b"]), sums
            found[case] = (statistics.median(times["f"]), statistics.median(times["b"]))
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2_000_000)
    parser.add_argument("--repetitions", type=int, default=7)
    chosen = parser.parse_args()
    print(f"{'component':14} {'what changes':28} {'FMU ns':>8} {'bare ns':>8} {'ratio':>6}")
    for name in ("planar.Body1", "planar.Body2", "planar.Body4"):
        for case, (fmu, bare) in measure(name, chosen.rounds, chosen.repetitions).items():
            print(f"{name:14} {CASES[case]:28} {fmu:8.1f} {bare:8.1f} {fmu / bare:6.2f}")


if __name__ == "__main__":
    main()
