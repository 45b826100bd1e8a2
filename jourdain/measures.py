"""Measures for each run of a sweep: ``sweep(..., measure={"end": final("rod.theta")})``."""

from coupling.measures import energy_drift, final, maximum, minimum, peak, rms, value_at

__all__ = ["energy_drift", "final", "maximum", "minimum", "peak", "rms", "value_at"]
