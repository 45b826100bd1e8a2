"""Options of runs: checked values, and a sentence for each that is refused."""

from coupling.options.checkpoint import Checkpoint
from coupling.options.contacts import Contacts
from coupling.options.index3 import Index3
from coupling.options.isolation import Isolation
from coupling.options.numbers import INDEPENDENT_FIRST, check_degree, check_order, number, real_time_of
from coupling.options.open_run import OpenRun
from coupling.options.run import MOST_ROWS, TOLERANCE, Run, tolerance_of_fit
from coupling.options.scheme import Scheme
from coupling.options.successive import Successive

__all__ = [
    "INDEPENDENT_FIRST",
    "MOST_ROWS",
    "TOLERANCE",
    "Checkpoint",
    "Contacts",
    "Index3",
    "Isolation",
    "OpenRun",
    "Run",
    "Scheme",
    "Successive",
    "check_degree",
    "check_order",
    "number",
    "real_time_of",
    "tolerance_of_fit",
]
