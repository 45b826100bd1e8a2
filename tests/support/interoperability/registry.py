"""The masters. A further one is a file in ``masters`` and an entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.interoperability.assembly import Assembly, Recording
from tests.support.interoperability.masters import ecos, fmpy_alone, fmpy_container, fmpy_loop, jourdain, libcosim, toolbox_container


@dataclass(frozen=True)
class Master:
    """A way to run an assembly of FMUs of one FMI version."""

    title: str
    run: Callable[[Assembly, int, Path], Recording]
    """The folder is one that it may leave files in."""
    couples: bool = True
    """True where it takes several FMUs."""
    late: bool = True
    """True where a joint's force reaches a body one step late, since all FMUs step at once."""
    module: str = "fmpy"
    """Python module that has to be installed."""

    def record(self, assembly: Assembly, fmi: int) -> Recording:
        if find_spec(self.module) is None:
            # The peers are an extra: who installs `test` alone runs everything else, and the summary tells what was left out.
            pytest.skip(f"{self.title} needs {self.module}, of the extra 'peers'")
        with TemporaryDirectory(prefix="interoperability-") as folder:
            return self.run(assembly, fmi, Path(folder))


MASTERS = [
    Master("FMPy, ME", fmpy_alone.model_exchange, couples=False),
    Master("FMPy, CS", fmpy_alone.co_simulation, couples=False),
    Master("FMPy, a loop", fmpy_loop.run),
    Master("ecos", ecos.run, module="ecospy"),
    Master("libcosim", libcosim.run, module="libcosimpy"),
    Master("FMPy's container", fmpy_container.run, late=False),
    Master("toolbox container", toolbox_container.run, module="fmu_manipulation_toolbox"),
    Master("toolbox container, sequential", toolbox_container.sequential, late=False, module="fmu_manipulation_toolbox"),
    Master("Jourdain", jourdain.run, late=False),
]
COUPLING = [master for master in MASTERS if master.couples]
VERSIONS = (2, 3)


def master(title: str) -> Master:
    return next(each for each in MASTERS if each.title == title)
