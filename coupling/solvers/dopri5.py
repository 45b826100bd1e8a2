"""Dormand and Prince's method of order 5 with an error estimate of order 4 (J. Comp. Appl. Math. 6, 1980).

Dense output of order 4 is that of DOPRI5 (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I).
"""

import numpy as np

from coupling.kernel.runs.tableau import Tableau, rows
from coupling.solvers.base.runge_kutta import explicit_method
from coupling.solvers.base.solver import SOLVERS

METHOD = Tableau(
    order=5,
    damping=0.04,
    c=np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1]),
    a=rows(
        6,
        {},
        {0: 1 / 5},
        {0: 3 / 40, 1: 9 / 40},
        {0: 44 / 45, 1: -56 / 15, 2: 32 / 9},
        {0: 19372 / 6561, 1: -25360 / 2187, 2: 64448 / 6561, 3: -212 / 729},
        {0: 9017 / 3168, 1: -355 / 33, 2: 46732 / 5247, 3: 49 / 176, 4: -5103 / 18656},
        {0: 35 / 384, 2: 500 / 1113, 3: 125 / 192, 4: -2187 / 6784, 5: 11 / 84},
    ),
    e=np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]),
    d=rows(
        7,
        {
            0: -12715105075 / 11282082432,
            2: 87487479700 / 32700410799,
            3: -10690763975 / 1880347072,
            4: 701980252875 / 199316789632,
            5: -1453857185 / 822651844,
            6: 69997945 / 29380423,
        },
    ),
)

SOLVERS.register("dopri5", explicit_method(METHOD))
