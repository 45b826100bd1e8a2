"""Variable tables and what is made of them, computed once per run, since some Jacobians take seconds."""

from __future__ import annotations

from functools import cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from fmu_components.declare.component import Component
from fmu_components.export.build import table_of
from fmu_components.export.manifest import manifest
from fmu_components.export.model_description import model_description
from fmu_components.export.pages.documentation import page
from fmu_components.export.table import VariableTable


@cache
def page_of(component: type[Component]) -> str:
    return page(table_of(component))  # type: ignore[arg-type]


@cache
def html_of(component: type[Component]) -> Element:
    """The page as a tree; readers must not change it."""
    return ElementTree.fromstring(page_of(component))  # type: ignore[arg-type]


@cache
def description_of(table: VariableTable, fmi: int, sources: tuple[str, ...]) -> str:
    return model_description(table, fmi, sources)


@cache
def manifest_of(table: VariableTable, fmi: int) -> str | None:
    return manifest(table, fmi)
