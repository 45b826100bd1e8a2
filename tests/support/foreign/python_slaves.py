"""FMUs whose behaviour is Python code, as PythonFMU (FMI 2) and PythonFMU3 (FMI 3) build them."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

ABORT, LEAVE, LOOP, EXIT, RAISE, LEAK, PRINT = range(1, 8)
"""Misdeeds of a slave, by the values of its parameter ``what``."""

_SLAVE = """
import ctypes
import os
import pythonfmu  # a package of the environment
from {package} import Fmi{version}Causality as Causality, Fmi{version}Slave, Fmi{version}Variability as Variability, {real}


class Lag(Fmi{version}Slave):

    author = "nobody"
    description = "y' = u - y in steps of Euler"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.u = self.y = self.what = 0.0
        self.time = 0.0
        {time}
        self.register_variable({real}("u", causality=Causality.input))
        self.register_variable({real}("y", causality=Causality.output))
        self.register_variable({real}("what", causality=Causality.parameter, variability=Variability.tunable))

    def do_step(self, current_time, step_size):
        self.y += step_size * (self.u - self.y)
        if current_time > 0.45:
            getattr(self, "do_%d" % self.what)()
        return True

    def do_0(self):
        pass

    def do_1(self):
        os.abort()

    def do_2(self):
        os._exit(3)

    def do_3(self):
        while True:
            pass

    def do_4(self):
        ctypes.CDLL(None).exit(4)

    def do_5(self):
        raise ValueError("no licence")

    def do_6(self):
        kept = []
        while True:
            kept.append(bytearray(1 << 22))

    def do_7(self):
        print("a word of Python")
"""


@cache
def lag(version: int = 2) -> Path:
    """y' = u - y in steps of Euler from y = 0, for Co-Simulation; after 0.45 s it does what its parameter says."""
    package, real, time = {
        2: ("pythonfmu", "Real", ""),
        3: (
            "pythonfmu3",
            "Float64",
            'self.register_variable(Float64("time", causality=Causality.independent, variability=Variability.continuous))',
        ),
    }[version]
    folder = Path(mkdtemp(prefix="python-slaves-"))
    script = folder / "lag.py"
    script.write_text(_SLAVE.format(package=package, version=version, real=real, time=time))
    # In another process: after a slave has run in this one, the package is the copy in its resources, which has no binaries.
    subprocess.run(
        [sys.executable, "-m", package, "build", "-f", str(script), "-d", str(folder)], check=True, cwd=folder, capture_output=True
    )
    return folder / "Lag.fmu"
