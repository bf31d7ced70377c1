"""A plot as part of a page, so that its words can be found and copied like the others."""

import re
from xml.etree import ElementTree

POINT = 4 / 3  # pixels
LINK = "{http://www.w3.org/1999/xlink}href"
LINKED, USED = re.compile(r"(?<=^#)\w+"), re.compile(r"(?<=url\(#)\w+")


def plot_html(svg: str, words: str, name: str) -> str:
    """HTML of a plot that matplotlib drew, with alternative text.

    The ids of its parts begin with ``name``, which no other figure of the page has.

    Raises:
        ValueError: There is no alternative text.
    """
    if not words.strip():
        raise ValueError("a plot needs alternative text: write `alt` under `mystnb: image:` of its cell")
    root = ElementTree.fromstring(svg)
    style = _without_style(root)
    named = {found for part in root.iter() for pair in part.items() for found in _reference(pair[0]).findall(pair[1])}
    for part in root.iter():
        part.tag = part.tag.partition("}")[2]
        part.attrib.update(_attributes(part.attrib, named, name))
        _close_up(part)
    width, height = (round(float(size) * POINT) for size in root.attrib["viewBox"].split()[2:])
    size = {"width": str(width), "height": str(height), "viewBox": root.attrib["viewBox"]}
    said = {"class": "plot", "role": "img", "aria-label": " ".join(words.split())}
    root.attrib = {**said, **size, "style": style}
    return ElementTree.tostring(root, encoding="unicode")


def _without_style(root: ElementTree.Element) -> str:
    """Take out the plot's stylesheet, which would apply to the whole page, and return its rules for every part."""
    for parent in root.iter():
        for style in [part for part in parent if part.tag.endswith("}style")]:
            parent.remove(style)
            return (style.text or "").strip("*{} \n")
    return ""


def _reference(attribute: str) -> re.Pattern[str]:
    """The pattern of the names of other parts in the values of an attribute."""
    return LINKED if attribute == LINK else USED


def _attributes(old: dict[str, str], named: set[str], name: str) -> dict[str, str]:
    """The attributes of a part: only parts that are referred to keep their name, which becomes unique."""
    new = {}
    for attribute, value in old.items():
        if attribute != "id":
            unique = _reference(attribute).sub(rf"{name}-\g<0>", value)
            new["xlink:href" if attribute == LINK else attribute] = unique
        elif value in named:
            new["id"] = f"{name}-{value}"
    old.clear()
    return new


def _close_up(part: ElementTree.Element) -> None:
    """Drop the space between parts; the letters of a formula, which come font by font, are put in order."""
    part.tail = None
    if len(part):
        part.text = None
    if part.tag == "text":
        part[:] = sorted(part, key=lambda letter: float(letter.attrib["x"]))
