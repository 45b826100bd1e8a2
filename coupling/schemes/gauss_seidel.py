"""Explicit coupling one after another (Gauss-Seidel): each instance already gets what those before it have come to.

The order is that in which they were added. Multipliers are solved for at the points, and extrapolated over the step as in ``explicit``,
which it shares everything else with.
"""

from coupling.schemes.base.scheme import SCHEMES, Scheme
from coupling.schemes.explicit import couple

SCHEMES.register("gauss-seidel", Scheme(couple))
