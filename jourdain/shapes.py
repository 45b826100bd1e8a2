"""Shapes of bodies that users choose: ``system.appearance("boom", box(2.0, 0.2))``."""

from coupling.pictures.solids import box, cylinder, mesh, outline, sphere

__all__ = ["box", "cylinder", "mesh", "outline", "sphere"]
