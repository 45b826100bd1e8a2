"""FMUs for tests of co-simulation: components that know little, and FMUs that own up to less than they can do."""

from __future__ import annotations

import hashlib
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy import cos

from fmu_components.declare.component import Component
from fmu_components.export.build import cached_fmu
from tests.support.foreign.archive import kept

DERIVATIVES = ("providesDirectionalDerivative", "providesDirectionalDerivatives")
SAVING = ("canGetAndSetFMUstate", "canGetAndSetFMUState")
VARIABLE_STEP = ("canHandleVariableCommunicationStepSize",)
INTERPOLATION = ("canInterpolateInputs", "providesIntermediateUpdate")


@cache
def without(path: Path, *attributes: str) -> Path:
    """An FMU like another that does not declare some of its abilities."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = members["modelDescription.xml"].decode()
    changed = text
    for attribute in attributes:
        changed = changed.replace(f' {attribute}="true"', "")
    assert changed != text, f"{path} does not declare any of {attributes}"
    members["modelDescription.xml"] = changed.encode()

    def write(target: Path) -> None:
        with zipfile.ZipFile(target, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)

    return kept(path.stem, changed + hashlib.sha256(path.read_bytes()).hexdigest(), write)


def component(declared: type[Component], fmi: int, *left_out: str) -> Path:
    """The FMU of a component, without some of its abilities."""
    path = cached_fmu(declared, fmi)
    return without(path, *left_out) if left_out else path


class Cosine(Component):
    """A component with y = cos(u) + d."""

    def declare(self):
        d, u = self.input("d", 0.0, "", "what moves it"), self.input("u", 0.0, "", "angle")
        self.output("y", cos(u) + d, "", "sum")


class Half(Component):
    """A component with y = u/2."""

    def declare(self):
        u = self.input("u", 0.0, "", "double")
        self.output("y", u / 2, "", "half")


def cosine_loop(times: np.ndarray) -> np.ndarray:
    """Returns y of the loop y = cos(y/2) + sin(t)."""
    return np.array([brentq(lambda y: y - np.cos(y / 2) - np.sin(t), -5, 5, xtol=1e-15) for t in times])


class Position(Component):
    """A component with x' = v; with Speed it is van der Pol's oscillator, in which long slow phases follow on short fast ones."""

    def declare(self):
        v = self.input("v", 0.0, "", "speed")
        x = self.state("x", 2.0, "", "position")
        self.rate(x, v / self.parameter("unit", 1.0, "s", "unit of time"))


class Speed(Component):
    """A component with v' = mu (1 - x^2) v - x."""

    def declare(self):
        mu = self.parameter("mu", 10.0, "", "how sudden the fast phases are")
        x = self.input("x", 2.0, "", "position")
        v = self.state("v", 0.0, "", "speed")
        self.rate(v, (mu * (1 - x**2) * v - x) / self.parameter("unit", 1.0, "s", "unit of time"))


def van_der_pol(times: np.ndarray, mu: float = 10.0) -> np.ndarray:
    """Returns x and v, one row each."""
    solution = solve_ivp(
        lambda _, s: [s[1], mu * (1 - s[0] ** 2) * s[1] - s[0]], (0, times[-1]), [2.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12
    )
    return solution.y


class Oscillation(Component):
    """A component with x'' = -x from 1: cos t."""

    def declare(self):
        second = self.parameter("unit", 1.0, "s", "unit of time")
        x, v = self.state("x", 1.0, "", "position"), self.state("v", 0.0, "", "speed")
        self.rate(x, v / second)
        self.rate(v, -x / second)
