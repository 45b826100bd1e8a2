"""Explicit coupling (Jacobi): at each point all instances receive their inputs there, and step at once."""

from coupling.schemes.base.explicit_step import ExplicitScheme
from coupling.schemes.base.scheme import SCHEMES

SCHEMES.register("explicit", ExplicitScheme(in_turn=False))
