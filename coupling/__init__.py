"""Systems of many FMUs: connected, solved and integrated together."""

from coupling.errors import BuildError, InitialStateError, StartError
from coupling.fmus import FmuError
from coupling.outcome import Ending, Outcome
from coupling.record import Statistics
from coupling.result import Result
from coupling.system import System

__all__ = ["BuildError", "Ending", "FmuError", "InitialStateError", "Outcome", "Result", "StartError", "Statistics", "System"]
