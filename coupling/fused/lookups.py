"""Values of tables as numbers: those of the kernel's tapes, and along a direction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.kernel.tapes.tape import END, OPERATIONS, run


def looked_up(name: str, numbers: Sequence[np.ndarray], arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Returns the values of an operation on tables, by its orders, kind, arguments and sizes, and its arrays along their last axes.

    Imaginary parts of the arguments are a direction, along which the derivative is taken.
    """
    varying = len(arrays) - 1
    shape = np.broadcast_shapes(*(each.shape for each in numbers), *(each.shape[:-1] for each in arrays))
    every = [np.broadcast_to(each, shape) for each in numbers]
    real = [np.real(each) for each in every]
    tables = [np.broadcast_to(each, (*shape, each.shape[-1])) for each in arrays]
    found = _values(name, real, tables)
    for place in range(varying):
        along = np.imag(every[varying + 1 + place])
        if along.any():
            raised = [each + (i == place) for i, each in enumerate(real)]
            found = found + 1j * along * _values(name, raised, tables)
    return found


def _values(name: str, numbers: Sequence[np.ndarray], arrays: Sequence[np.ndarray]) -> np.ndarray:
    found = np.empty(numbers[0].shape)
    sizes = [1] * len(numbers) + [each.shape[-1] for each in arrays]
    *first, end = np.cumsum([0, *sizes])
    tape = np.array([OPERATIONS[name][0], 1, end, *first, END], dtype=np.int32)
    for point in np.ndindex(found.shape):
        workspace = np.concatenate([*([each[point]] for each in numbers), *(each[point] for each in arrays), [0.0]])
        run(tape, workspace)
        found[point] = workspace[end]
    return found
