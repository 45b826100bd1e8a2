"""The catalogue finds components by itself."""

import pytest

from fmu_components import catalogue
from fmu_components.declare.component import component_name
from fmu_components.declare.declaration import DeclarationError


def test_components_are_named_after_their_folder_and_class():
    """Every component is found under the name that its class has."""
    components = catalogue.all_components()
    assert {"planar.Revolute", "planar.Body1", "planar.Body4", "mechanical1d.Mass"} <= components.keys()
    for name, component in components.items():
        assert component_name(component) == name
        assert catalogue.find(name) is component


def test_a_file_declares_what_it_is_called(monkeypatch):
    """A file of the library is named after its component, without the number of those that share one declaration."""
    for name, component in catalogue.all_components().items():
        file = component.__module__.rsplit(".", 1)[-1]
        assert file in (name.split(".")[1], name.split(".")[1].rstrip("0123456789"))


def test_an_unknown_name_gets_the_nearest_ones():
    """The sentence lists them."""
    with pytest.raises(catalogue.UnknownComponent, match=r"there is no component 'planar.Revolut'; the nearest names are planar.Revolute"):
        catalogue.find("planar.Revolut")


def test_a_file_without_a_component_is_an_error(tmp_path):
    """The sentence names the file and both remedies."""
    file = tmp_path / "Nothing.py"
    file.write_text("x = 1\n")
    with pytest.raises(DeclarationError, match=r"'Nothing.py' in .* declares no component; define a subclass of Component or Joint in it"):
        catalogue.from_file(file)


def test_a_new_file_in_a_component_folder_is_found(tmp_path, monkeypatch):
    """Adding a component touches one file; one that declares none is an error there too."""
    import fmu_components

    package = tmp_path / "library"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "Thing.py").write_text(
        'from fmu_components.declare.component import Component\nclass Thing(Component):\n    """Thing."""\n    def declare(self):\n        pass\n'
    )
    monkeypatch.setattr(catalogue, "_PACKAGE", tmp_path)
    monkeypatch.setattr(fmu_components, "__path__", [str(tmp_path)])
    catalogue.all_components.cache_clear()
    try:
        assert list(catalogue.all_components()) == ["library.Thing"]
        (package / "Empty.py").write_text("")
        catalogue.all_components.cache_clear()
        with pytest.raises(DeclarationError, match=r"'Empty.py' in 'library' declares no component"):
            catalogue.all_components()
    finally:
        catalogue.all_components.cache_clear()


def test_a_missing_file_is_an_error(tmp_path):
    """The sentence names the path."""
    with pytest.raises(catalogue.UnknownComponent, match=r"there is no file '.*Gone.py'"):
        catalogue.from_file(tmp_path / "Gone.py")
