"""Explicit coupling one after another (Gauss-Seidel): each instance already receives the new outputs of those before it.

The order is that in which they were added. Multipliers are solved for at the points, and extrapolated over the step as in ``explicit``.
"""

from coupling.schemes.base.explicit_step import ExplicitScheme
from coupling.schemes.base.scheme import SCHEMES

SCHEMES.register("gauss-seidel", ExplicitScheme(in_turn=True))
