"""The runtime of a generated PythonFMU slave: the generated module is tables and a few functions, this does the rest.

It is copied into the FMU as a package, so it needs nothing but the standard library and PythonFMU, which is packed beside it. The
method is that of the C runtime: Dormand-Prince 5(4) with error control, events located on its dense output.
"""

from .arithmetic import (
    acos,
    acosh,
    asin,
    atanh,
    ceil,
    cos,
    cosh,
    divide,
    exp,
    floor,
    log,
    modulo,
    power,
    sin,
    sinh,
    sqrt,
    tan,
)
from .dormand_prince import try_step
from .lookup import curve, least_step, next_node, surface
from .slave import Refusal, Slave
from .tables import Model, SlaveEvent, SlaveVariable

__all__ = [
    "Model",
    "Refusal",
    "Slave",
    "SlaveEvent",
    "SlaveVariable",
    "acos",
    "acosh",
    "asin",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "curve",
    "divide",
    "exp",
    "floor",
    "least_step",
    "log",
    "modulo",
    "next_node",
    "power",
    "sin",
    "sinh",
    "sqrt",
    "surface",
    "tan",
    "try_step",
]
