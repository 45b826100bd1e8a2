"""Systems of many FMUs: connected, solved and integrated together."""

from coupling.connections import BuildError
from coupling.fmu import FmuError
from coupling.initial import InitialStateError
from coupling.master import StartError
from coupling.outcome import Ending, Outcome
from coupling.result import Result, Statistics
from coupling.system import System

__all__ = ["BuildError", "Ending", "FmuError", "InitialStateError", "Outcome", "Result", "StartError", "Statistics", "System"]
