"""XML as text, against the standard library's elements."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from fmu_components.export.xml_text import document, element


def test_a_document_is_what_the_standard_library_writes():
    """Attributes may have any characters, and elements any depth."""
    odd = "a & b < c > \"d\" \n\t\r'e' é"
    ours = element("top", {"text": odd, "left out": None}, [element("empty"), element("mid", {"x": odd}, [element("low", {"n": 3})])])
    root = ET.Element("top", {"text": odd})
    ET.SubElement(root, "empty")
    ET.SubElement(ET.SubElement(root, "mid", {"x": odd}), "low", {"n": "3"})
    ET.indent(root)
    assert document(ours) == f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def test_values_are_spelled_as_fmi_has_them():
    read = ET.fromstring(element("a", {"yes": True, "no": False, "whole": 3, "real": 1e-300, "none": None}))
    assert read.attrib == {"yes": "true", "no": "false", "whole": "3", "real": "1e-300"}
