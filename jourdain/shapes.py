"""What bodies look like where their users say so: ``system.appearance("boom", box(2.0, 0.2))``."""

from coupling.pictures.solids import box, cylinder, mesh, outline, sphere

__all__ = ["box", "cylinder", "mesh", "outline", "sphere"]
