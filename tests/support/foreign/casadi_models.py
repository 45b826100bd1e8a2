"""FMUs with algebraic variables that CasADi exports, and their solutions."""

from __future__ import annotations

import contextlib
import inspect
import math
import os
import zipfile
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

from tests.support.foreign.archive import compiled, kept, native
from tests.support.oracles.motion import swing


def casadi_dae(model: str = "pendulum", units: bool = False) -> Path:
    """An FMU with algebraic variables that CasADi's DaeBuilder exports; see below for what is peculiar about it.

    ``pendulum``: a mass of 1 on a rod of length 1 in Cartesian coordinates, x' = vx, y' = vy, vx' = f - lam x, vy' = -lam y - g, with
    the multiplier lam, and the constraint at acceleration level as residual; from x = 0.6, y = -0.8 at rest. Input f, parameter g,
    outputs ``px`` = x, ``py`` = y and ``tension`` = lam. The residual is affine in lam.

    ``diode``: a capacitor C that a source u charges through a resistor R and a diode; the state is its voltage vc, the algebraic variable
    the voltage vd of the diode, with the residual u - R i - vd - vc, i = Is (exp(vd/Vt) - 1). Input u, output ``current`` = i. The residual
    is nonlinear, and Newton's method from the start value vd = 0 first jumps to 0.73, where i is 34 times what it will be.

    ``roberts``: the reaction of Robertson in the form of the Reference FMU Roberts, with the third concentration as algebraic variable.

    What CasADi 3.8.2 makes of it, found by trying:

    - FMI 3.0, Model Exchange alone, with directional and adjoint derivatives; the C sources compile with gcc into a library that needs
      libc and libm alone. ``canGetAndSetFMUState`` is not declared, and such calls return Fatal.
    - The manifest is of the old draft: root ``fmiLayeredStandardManifest``, attributes with the prefix ``fmi-ls`` that is declared
      nowhere (no namespace-aware XML parser reads it), an empty version, ``<Residual><Formulation index="1" .../></Residual>``, and no
      switch: the DAE mode is always on, and entering Configuration Mode returns Fatal.
    - An algebraic variable is local with initial="calculated" and without a start value in the description; the binary has one. It can
      be set with fmi3SetFloat64 at any time. The residual is the local variable ``__alg__0``, to be got with fmi3GetFloat64, and an
      unknown of directional derivatives. It is minus what was declared: ``eq(0, r)`` becomes 0 - r.
    - Nothing is solved inside: until the importer sets the algebraic variable, it has its start value.
    - States are local with initial="calculated" and no start value as well unless they are given initial="exact", as in the pendulum; in
      the diode they are left as CasADi makes them, so that the start value of vc, 0.2, is known to the binary alone.
    - In the ModelStructure of modelDescription.xml too, outputs and derivatives depend on the algebraic variable, which is no known of
      the standard. Beside the variables of the model there are ``__assign__der(x)__`` and the like: illegal names that always are 0.
    - Units are written, but not defined in UnitDefinitions; FMPy refuses to read that (``validate=False`` helps), hence ``units``.
    - fmi3CompletedIntegratorStep returns OK without writing its two flags: whoever calls it must preset them to false.
    - fmi3GetEventIndicators returns Fatal where there are none. No message is ever logged, and no token or order of calls is checked.
    - fmi3SetTime alone does not invalidate what has been computed, the variable ``time`` is always 0, and derivatives are taken at
      t = 0: a model whose equations contain the time is wrong unless states or inputs are set after the time. These two contain none.
    - Directional derivatives are right as long as adjoint ones are never asked for, and the other way round: seeds and results share
      one array, of which either call leaves unasked-for results behind, which the other one takes for seeds.
    """
    import casadi

    builder, key = (
        {"pendulum": _casadi_pendulum, "diode": _casadi_diode, "roberts": _casadi_roberts}[model],
        (model, units, DIODE, casadi.__version__),
    )

    def make(path: Path) -> None:
        name = f"casadi_{model}"
        with contextlib.chdir(path.parent):  # CasADi writes where it stands
            dae = casadi.DaeBuilder(name)
            builder(casadi, dae, units)
            files = {Path(local): Path(target) for local, target in dae.export_fmu({"no_warning": True}).items()}
            library = compiled([local for local in files if local.suffix == ".c"], Path("library.so"))
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for local, target in files.items():
                    archive.write(local, os.path.normpath(target))
                archive.writestr(f"binaries/{native(3)}/{name}.so", library)

    return kept(f"casadi_{model}", f"{key}{inspect.getsource(builder)}", make)


def _casadi_roberts(casadi, dae, units: bool) -> None:
    dae.add("time", "independent")
    y1, y2 = (dae.add(name, {"start": start, "initial": "exact"}) for name, start in (("y1", 1.0), ("y2", 0.0)))
    y3 = dae.add("y3", {"start": 0.0})
    rest = dae.add("rest", "output")
    dae.eq(dae.der(y1), -0.04 * y1 + 1e4 * y2 * y3)
    dae.eq(dae.der(y2), 0.04 * y1 - 1e4 * y2 * y3 - 3e7 * y2**2)
    dae.eq(rest, y3)
    dae.eq(0, y1 + y2 + y3 - 1)


def _casadi_pendulum(casadi, dae, units: bool) -> None:
    def options(unit: str, **others: object) -> dict[str, object]:
        return others | ({"unit": unit} if units else {})

    dae.add("time", "independent")
    g = dae.add("g", "parameter", "tunable", options("m/s2", start=9.81))
    f = dae.add("f", "input", options("N", start=0.0))
    x = dae.add("x", options("m", start=0.6, initial="exact"))
    y = dae.add("y", options("m", start=-0.8, initial="exact"))
    vx = dae.add("vx", options("m/s", start=0.0, initial="exact"))
    vy = dae.add("vy", options("m/s", start=0.0, initial="exact"))
    lam = dae.add("lam", options("N/m", start=1.0))
    px, py = dae.add("px", "output", options("m")), dae.add("py", "output", options("m"))
    tension = dae.add("tension", "output", options("N"))
    ax, ay = f - lam * x, -lam * y - g
    for left, right in ((dae.der(x), vx), (dae.der(y), vy), (dae.der(vx), ax), (dae.der(vy), ay)):
        dae.eq(left, right)
    dae.eq(0, vx**2 + vy**2 + x * ax + y * ay)
    for left, right in ((px, x), (py, y), (tension, lam)):
        dae.eq(left, right)


def casadi_pendulum_exact(times: np.ndarray) -> dict[str, np.ndarray]:
    """Returns x, y, vx, vy and lam of the pendulum without the force, in elliptic functions; the angle is counted from hanging down."""
    phi, omega = swing(np.asarray(times), math.atan2(0.6, 0.8), 0.0, math.sqrt(9.81))
    x, y = np.sin(phi), -np.cos(phi)
    return {"x": x, "y": y, "vx": omega * np.cos(phi), "vy": omega * np.sin(phi), "lam": omega**2 - 9.81 * y}


DIODE = {"R": 1.0, "C": 1.0, "Is": 0.01, "Vt": 0.1, "u": 1.0, "vc": 0.2}


def _casadi_diode(casadi, dae, units: bool) -> None:
    R, C, Is, Vt, source, charge = (DIODE[name] for name in ("R", "C", "Is", "Vt", "u", "vc"))
    unit = {"unit": "V"} if units else {}
    dae.add("time", "independent")
    u = dae.add("u", "input", {"start": source, **unit})
    vc = dae.add("vc", {"start": charge, **unit})
    vd = dae.add("vd", {"start": 0.0, **unit})
    current = dae.add("current", "output", {"unit": "A"} if units else {})
    i = Is * (casadi.exp(vd / Vt) - 1)
    dae.eq(dae.der(vc), i / C)
    dae.eq(0, u - R * i - vd - vc)
    dae.eq(current, i)


def casadi_diode_exact(times: np.ndarray) -> dict[str, np.ndarray]:
    """Returns vc, vd and current of the diode under its constant source.

    The equations in the current i are u = R i + vd + vc with vd = Vt log(1 + i/Is) and vc' = i/C.

    They give dt = -C (R/i + Vt/(i (Is + i))) di, and t = C (R log(i0/i) + Vt/Is (L(i0) - L(i))), L(i) = log(i/(Is + i)). A bracketing
    search inverts this function.
    """
    R, C, Is, Vt, u, vc = (DIODE[name] for name in ("R", "C", "Is", "Vt", "u", "vc"))

    def diode(i: float) -> float:
        return Vt * math.log1p(i / Is)

    first = brentq(lambda i: R * i + diode(i) + vc - u, 0.0, u / R, xtol=1e-16, rtol=1e-15)

    def later(t: float) -> float:
        def surplus(log_i: float) -> float:
            i = math.exp(log_i)
            return C * (R * math.log(first / i) + Vt / Is * (math.log(first / (Is + first)) - math.log(i / (Is + i)))) - t

        return math.exp(brentq(surplus, math.log(first) - 30, math.log(first) + 1e-9, xtol=1e-15, rtol=1e-15))

    current = np.array([later(float(t)) for t in np.asarray(times)])
    vd = np.array([diode(i) for i in current])
    return {"vc": u - R * current - vd, "vd": vd, "current": current}
