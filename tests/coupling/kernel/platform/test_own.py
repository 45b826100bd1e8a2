"""Addresses of arrays."""

import numpy as np
import pytest

from coupling.kernel.platform.own import OwnLibrary
from coupling.kernel.system.status import STATUSES, Status


@pytest.mark.parametrize("kind", [float, bool, np.uint32])
@pytest.mark.parametrize("shape", [0, 3, (2, 3)])
def test_an_array_is_found_where_it_is(kind, shape):
    """The address is NumPy's for arrays that are writable or not, contiguous or not, or empty."""
    array = np.zeros(shape, kind)
    fixed = array.copy()
    fixed.flags.writeable = False
    for each in (array, array[..., 1:], array.T, array[..., ::-2], fixed):
        assert OwnLibrary.pointer(each) == each.ctypes.data
    assert OwnLibrary.pointer(None) is None


def test_statuses_are_found_by_their_numbers():
    """The numbers are those of the kernel."""
    assert [Status(number) for number in range(len(STATUSES))] == list(STATUSES)
