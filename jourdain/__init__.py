"""Mechanical components as FMUs, and a master that couples them. These are the public names: ``from jourdain import System, Joint``.

A name is loaded at its first use; therefore ``import jourdain`` alone costs next to nothing. Words of declarations are in
``jourdain.declare``, drawings for icons in ``jourdain.icon`` and words for pictures in ``jourdain.picture``. Shapes of bodies are in
``jourdain.shapes``, measures of runs in ``jourdain.measures``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coupling import AnalysisError as AnalysisError
    from coupling import BuildError as BuildError
    from coupling import Checkpoint as Checkpoint
    from coupling import Contacts as Contacts
    from coupling import Ending as Ending
    from coupling import Equilibria as Equilibria
    from coupling import FmuError as FmuError
    from coupling import FractionalModel as FractionalModel
    from coupling import Index3 as Index3
    from coupling import InitialStateError as InitialStateError
    from coupling import InterpolatedModel as InterpolatedModel
    from coupling import Isolation as Isolation
    from coupling import LinearFamily as LinearFamily
    from coupling import LinearGrid as LinearGrid
    from coupling import LinearModel as LinearModel
    from coupling import Outcome as Outcome
    from coupling import Pose as Pose
    from coupling import Result as Result
    from coupling import ResultError as ResultError
    from coupling import RunEnded as RunEnded
    from coupling import Scheme as Scheme
    from coupling import Sensitivities as Sensitivities
    from coupling import StartError as StartError
    from coupling import Statistics as Statistics
    from coupling import Successive as Successive
    from coupling import SweepError as SweepError
    from coupling import System as System
    from coupling.analysis.explanation import Explanation as Explanation
    from coupling.modelica.omc import from_modelica as from_modelica
    from coupling.sampling import sample as sample
    from coupling.sweep import sweep as sweep
    from coupling.sweeps.table import SweepTable as SweepTable
    from fmu_components.catalogue import UnknownComponent as UnknownComponent
    from fmu_components.catalogue import all_components as all_components
    from fmu_components.catalogue import find as find
    from fmu_components.catalogue import from_file as from_file
    from fmu_components.declare.component import Component as Component
    from fmu_components.declare.declaration import DeclarationError as DeclarationError
    from fmu_components.declare.joint import Joint as Joint
    from fmu_components.declare.orientation import orientation as orientation
    from fmu_components.declare.space import SpatialJoint as SpatialJoint
    from fmu_components.export.build import cached_fmu as cached_fmu
    from fmu_components.export.kept import cache_folder as cache_folder
    from fmu_components.flexible.formats.npz import write_mesh as write_mesh
    from fmu_components.flexible.formats.reading import read_mesh as read_mesh
    from fmu_components.flexible.given import MeshError as MeshError
    from fmu_components.flexible.made import flexible_body as flexible_body
    from fmu_components.flexible.ports import Patch as Patch
    from fmu_components.laws.force_law import force_law as force_law
    from fmu_components.planar.Beam import Beam as Beam
    from fmu_components.planar.WeldedBeam import WeldedBeam as WeldedBeam
    from fmu_components.signal.StateSpace import StateSpace as StateSpace
    from fmu_components.signal.TransferFunction import TransferFunction as TransferFunction
    from fmu_components.spatial.Beam import SpatialBeam as SpatialBeam

_NAMES = {
    "coupling": "AnalysisError BuildError Checkpoint Contacts Ending Equilibria FmuError FractionalModel Index3 InitialStateError InterpolatedModel Isolation LinearFamily LinearGrid LinearModel Outcome Pose Result ResultError RunEnded Scheme Sensitivities StartError Statistics Successive SweepError System",
    "coupling.analysis.explanation": "Explanation",
    "coupling.modelica.omc": "from_modelica",
    "coupling.sampling": "sample",
    "coupling.sweep": "sweep",
    "coupling.sweeps.table": "SweepTable",
    "fmu_components.catalogue": "UnknownComponent all_components find from_file",
    "fmu_components.declare.component": "Component",
    "fmu_components.declare.declaration": "DeclarationError",
    "fmu_components.declare.joint": "Joint",
    "fmu_components.declare.orientation": "orientation",
    "fmu_components.declare.space": "SpatialJoint",
    "fmu_components.export.build": "cached_fmu",
    "fmu_components.export.kept": "cache_folder",
    "fmu_components.flexible.made": "flexible_body",
    "fmu_components.flexible.given": "MeshError",
    "fmu_components.flexible.formats.npz": "write_mesh",
    "fmu_components.flexible.formats.reading": "read_mesh",
    "fmu_components.flexible.ports": "Patch",
    "fmu_components.laws.force_law": "force_law",
    "fmu_components.planar.Beam": "Beam",
    "fmu_components.planar.WeldedBeam": "WeldedBeam",
    "fmu_components.signal.StateSpace": "StateSpace",
    "fmu_components.signal.TransferFunction": "TransferFunction",
    "fmu_components.spatial.Beam": "SpatialBeam",
}
"""Names as above, for the interpreter; a test compares the two."""
_PLACES = {name: (module, name) for module, names in _NAMES.items() for name in names.split()}
_OF_DECLARATIONS = (
    "ELECTRICAL HYDRAULIC PLANAR PNEUMATIC ROTATIONAL SPATIAL THERMAL TRANSLATIONAL Angle Magnitude Port PortKind Side falls friction holds_while "
    "reaches rises same_direction signed_root t unilateral"
)
"""Names of ``jourdain.declare``, which a user may look for here."""

__all__ = sorted(_PLACES)

if not TYPE_CHECKING:  # a checker that saw this function would believe in every name

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from importlib.metadata import version

            return version("jourdain")
        if name not in _PLACES:
            if name in _OF_DECLARATIONS.split():
                raise AttributeError(f"module 'jourdain' has no name '{name}'; it is in jourdain.declare")
            raise AttributeError(f"module 'jourdain' has no name '{name}'; dir(jourdain) lists its names")
        from importlib import import_module

        module, own = _PLACES[name]
        globals()[name] = getattr(import_module(module), own)
        return globals()[name]

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, "__version__"})
