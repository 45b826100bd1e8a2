"""A new scheme is one file: it registers itself, and nothing else names it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import coupling

SCHEME = '''
from coupling.schemes.base.explicit_step import ExplicitScheme
from coupling.schemes.base.scheme import SCHEMES


class Held(ExplicitScheme):
    """The explicit one, which says that it ran."""

    def couple(self, session, run, interval):
        outcome = super().couple(session, run, interval)
        outcome.warnings.append("held")
        return outcome


SCHEMES.register("held", Held(in_turn=False))
'''

RUN = """
from coupling import BuildError, System
import coupling

system = System("alone")
system.add("mass", "mechanical1d.Mass", {"v": 2.0})
outcome = system.simulate(1.0, communication_step=0.5, scheme="held").outcome
try:
    System("none").simulate(1.0, communication_step=0.5, scheme="hold")
except BuildError as error:
    print(coupling.__file__, outcome, error, sep="; ")
"""


def test_a_new_scheme_is_one_file(tmp_path):
    """In a scratch copy of the package it runs, and errors suggest its name."""
    package = tmp_path / "coupling"
    shutil.copytree(Path(coupling.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "schemes" / "held.py").write_text(SCHEME)
    run = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, capture_output=True, text=True, check=True)
    file, *rest = run.stdout.strip().split("; ")
    assert Path(file).parent == package
    assert rest == ["completed at t = 1 s\nWarning: held", "the scheme 'hold' is unknown", "did you mean 'held'?"]
