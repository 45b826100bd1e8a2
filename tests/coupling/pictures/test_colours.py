"""The colours of bodies, as people see them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from coupling.pictures.colours import DARK, LIGHT

# Of linear RGB: what an eye without one kind of cones sees (Machado, Oliveira and Fernandes 2009, severity 1).
VISION = {
    "normal": np.eye(3),
    "deuteranopic": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "protanopic": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
}
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str) -> np.ndarray:
    """Returns the linear components of an sRGB colour ``#rrggbb``."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB."""
    x = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_first_six_can_be_told_apart(palette: tuple[str, ...], vision: str) -> None:
    """They differ by at least 12 in CIE76."""
    seen = {colour: lab(VISION[vision] @ linear(colour)) for colour in palette[:6]}
    least = min(combinations(seen, 2), key=lambda pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]))
    assert np.linalg.norm(seen[least[0]] - seen[least[1]]) >= 12, least


@pytest.mark.parametrize(("palette", "page"), [(LIGHT, "#ffffff"), (DARK, "#161d24")], ids=["light", "dark"])
def test_all_stand_out_from_the_page(palette: tuple[str, ...], page: str) -> None:
    """Their contrast ratio is at least 3, as WCAG 2 asks of graphics."""
    ground = TO_XYZ[1] @ linear(page)
    for colour in palette:
        bright, dark = sorted((ground, TO_XYZ[1] @ linear(colour)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 3, colour
