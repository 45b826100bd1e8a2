"""Driven inputs that jump or bend where nothing says so: found after a run that had trouble there."""

from __future__ import annotations

import numpy as np

from coupling.live.session import Session
from coupling.plan.drives import FunctionDrive, PiecesDrive

_NEAR, _HALVINGS = 1e-3, 60
"""Distance from the trouble within which a jump is looked for, as a share of the run; number of times that this interval is halved."""
_ENDS, _ABRUPT = 8, 10.0
"""The number of pieces at each end of a curve, and the least ratio of their accelerations to usual ones."""
_SHARE = 0.1
"""Least share of the change over the whole interval that must be left where it is a jump."""


def undeclared_jump(session: Session, t: float) -> str:
    """Returns the driven input whose function jumps near a time without a break there, as the end of a sentence; empty where no function
    does."""
    run = session.run
    reach = _NEAR * (run.stop_time - run.start_time)
    low, high = max(run.start_time, t - reach), min(run.stop_time, t + reach)
    for drive in session.program.functions:
        found = _jump(drive, low, high)
        if found is not None:
            return (
                f"'{drive.name}' is driven by a function that jumps at t = {found!r} s; name that time, "
                f"drive('{drive.name}', ..., breaks=[{found!r}])"
            )
    return ""


def steep_curve(session: Session, t: float) -> str:
    """Returns the driven input whose curve comes to rest abruptly near a time, as the end of a sentence; empty where no curve does."""
    for target, drive in session.built.drives:
        if isinstance(drive, PiecesDrive) and _rests_abruptly(drive, t):
            name = session.named(target.part, target.reference)
            return (
                f"the curve through the table of '{name}' rests at its ends, where the table moves; let the table begin and end at rest, or give "
                "smooth='free', whose ends need not rest"
            )
    return ""


def _rests_abruptly(drive: PiecesDrive, t: float) -> bool:
    """Returns whether a time is in one of the first or last pieces, where accelerations are far greater than elsewhere."""
    h, c = np.diff(drive.times), drive.coefficients
    factors = [k * (k - 1) for k in range(c.shape[1])]
    at = [np.abs(sum(factors[k] * c[:, k] * (share * h) ** (k - 2) for k in range(2, c.shape[1]))) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    peaks, piece = np.max(at, axis=0), int(np.searchsorted(drive.times, t))
    first = piece < _ENDS
    ends = peaks[:_ENDS] if first else peaks[-_ENDS:]
    return (first or piece > len(h) - _ENDS) and bool(ends.max() > _ABRUPT * np.median(peaks))


def _jump(drive: FunctionDrive, low: float, high: float) -> float | None:
    """Bisects towards the greater change; what does not shrink with the interval is a jump."""
    try:
        left, right = drive(low), drive(high)
        first = abs(right - left)
        for _ in range(_HALVINGS if first else 0):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            value = drive(middle)
            if abs(value - left) >= abs(right - value):
                high, right = middle, value
            else:
                low, left = middle, value
    except Exception:  # the run is over, and what it has left is worth more than this hint
        return None
    if not first > 0 or abs(right - left) <= _SHARE * first or any(low <= each <= high for each in drive.breaks):
        return None
    shorter = (float(f"{high:.{digits}g}") for digits in range(1, 17))
    return next(
        (each for each in shorter if low <= each <= high), high
    )  # all digits: a step that ends beside the jump is rejected as often
