"""Systems of many FMUs: connected, solved and integrated together."""

from coupling.analysis.continuation import Equilibria, LinearFamily
from coupling.analysis.fractional import FractionalModel
from coupling.analysis.grid import LinearGrid
from coupling.analysis.interpolated import InterpolatedModel
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.pose import Pose
from coupling.analysis.sensitivities import Sensitivities
from coupling.errors import AnalysisError, BuildError, InitialStateError, ResultError, RunEnded, StartError, SweepError
from coupling.fmus import FmuError
from coupling.options import Checkpoint, Contacts, Index3, Isolation, Scheme, Successive
from coupling.outcome import Ending, Outcome
from coupling.record import Statistics
from coupling.result import Result
from coupling.system import System

__all__ = [
    "AnalysisError",
    "BuildError",
    "Checkpoint",
    "Contacts",
    "Ending",
    "Equilibria",
    "FmuError",
    "FractionalModel",
    "Index3",
    "InitialStateError",
    "InterpolatedModel",
    "Isolation",
    "LinearFamily",
    "LinearGrid",
    "LinearModel",
    "Outcome",
    "Pose",
    "Result",
    "ResultError",
    "RunEnded",
    "Scheme",
    "Sensitivities",
    "StartError",
    "Statistics",
    "Successive",
    "SweepError",
    "System",
]
