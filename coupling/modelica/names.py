"""Names in the Modelica text of a system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coupling.errors import BuildError
from fmu_components.modelica.names import modelica_name
from fmu_components.modelica.package import PACKAGE


def model_name(system: str) -> str:
    """Returns the name of the model and its file: that of the system, in which only letters, digits and underscores are left."""
    return modelica_name(system)


def title_of(system: str, instances: int) -> str:
    return f"{system}: {instances} component{'s' * (instances != 1)}"


def unique_names(names: Iterable[str]) -> dict[str, str]:
    """Returns the identifiers of instances, ports and inputs; two names that Modelica cannot tell apart are refused."""
    found: dict[str, str] = {}
    taken = {PACKAGE: "the package of components"}
    for name in dict.fromkeys(names):
        own = modelica_name(name)
        if own in taken:
            raise BuildError(f"'{name}' is called '{own}' in Modelica, and so is {taken[own]}; give one of them another name")
        found[name], taken[own] = own, f"'{name}'"
    return found


def check_unique(names: Sequence[str]) -> None:
    """Refuses names of which two are equal: the text adds variables to those that the user has named."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BuildError(f"two elements of the Modelica model would be called '{twice}'; rename the instance with this name")
