"""Systems of many FMUs: connected, solved and integrated together."""

from coupling.analysis.initial import InitialStateError
from coupling.fmus import FmuError
from coupling.live.master import StartError
from coupling.outcome import Ending, Outcome
from coupling.plan.connections import BuildError
from coupling.result import Result, Statistics
from coupling.system import System

__all__ = ["BuildError", "Ending", "FmuError", "InitialStateError", "Outcome", "Result", "StartError", "Statistics", "System"]
