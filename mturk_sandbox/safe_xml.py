"""Parsing untrusted XML, without document types, custom entities or external resources."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"


class XMLProblemError(ValueError):
    """XML is not well-formed, has a document type, or violates its schema."""


def parse(text: str) -> Element:
    """The root element. Raises XMLProblemError."""
    try:
        _reject_document_types(text)
        return ElementTree.fromstring(text.encode("utf-8"))
    except (expat.ExpatError, ElementTree.ParseError) as error:
        raise XMLProblemError(str(error)) from error


def _reject_document_types(text: str) -> None:
    def refuse(*_: object) -> None:
        raise XMLProblemError("a document type declaration is not allowed")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(text.encode("utf-8"), True)


def namespace(element: Element) -> str:
    return element.tag[1:].partition("}")[0] if element.tag.startswith("{") else ""


def local_name(element: Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def children(element: Element, name: str) -> list[Element]:
    return [child for child in element if local_name(child) == name]


def child(element: Element, name: str) -> Element | None:
    matching = children(element, name)
    return matching[0] if matching else None


def child_text(element: Element, name: str, default: str = "") -> str:
    """The text of the first child of this name, without surrounding space."""
    element_child = child(element, name)
    return default if element_child is None else (element_child.text or "").strip()
