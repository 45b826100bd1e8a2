"""Functions of time that jump where nothing says so: found after a run that had trouble there."""

from __future__ import annotations

from coupling.live.session import Session
from coupling.plan.drives import FunctionDrive

_NEAR, _HALVINGS = 1e-3, 40
"""How far from the trouble a jump is looked for, as a share of the run, and how often that interval is halved."""
_SHARE = 0.1
"""What is left of the change over the whole interval where it is a jump, at least."""


def undeclared_jump(session: Session, t: float) -> str:
    """The driven input whose function jumps near a time without a break there, as the end of a sentence; empty where there is none."""
    run = session.run
    reach = _NEAR * (run.stop_time - run.start_time)
    low, high = max(run.start_time, t - reach), min(run.stop_time, t + reach)
    for drive in session.program.functions:
        found = _jump(drive, low, high)
        if found is not None:
            return (
                f"'{drive.name}' is driven by a function that jumps at t = {found:.9g} s; name that time, "
                f"drive('{drive.name}', ..., breaks=[{found:.9g}])"
            )
    return ""


def _jump(drive: FunctionDrive, low: float, high: float) -> float | None:
    """Bisects towards the greater change; what does not shrink with the interval is a jump."""
    try:
        left, right = drive(low), drive(high)
        first = abs(right - left)
        for _ in range(_HALVINGS if first else 0):
            middle = (low + high) / 2
            value = drive(middle)
            if abs(value - left) >= abs(right - value):
                high, right = middle, value
            else:
                low, left = middle, value
    except Exception:  # the run is over, and what it has left is worth more than this hint
        return None
    jumps = first > 0 and abs(right - left) > _SHARE * first
    return None if not jumps or any(low <= each <= high for each in drive.breaks) else float(f"{high:.9g}")
