"""FMUs of any tool, as their files describe them."""

from coupling.fmus.constraints import Constraint, level_of
from coupling.fmus.description import Fmu
from coupling.fmus.errors import FmuError
from coupling.fmus.interface import Interface
from coupling.fmus.manifest import Dae
from coupling.fmus.reader import load
from coupling.fmus.structure import Structure, Unknown
from coupling.fmus.terminals import Terminal
from coupling.fmus.units import Unit, same_dimension, same_unit
from coupling.fmus.variables import FmuVariable, Settable

__all__ = [
    "Constraint",
    "Dae",
    "Fmu",
    "FmuError",
    "FmuVariable",
    "Interface",
    "Settable",
    "Structure",
    "Terminal",
    "Unit",
    "Unknown",
    "level_of",
    "load",
    "same_dimension",
    "same_unit",
]
