#!/usr/bin/env python3
"""Reads sample pages with a strict parser. Usage: check_sample.py WRITE_SAMPLE"""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
TAGS = set("html head meta title style body main h1 h2 p section div table caption thead tbody tr th td figure "
           "figcaption footer code".split())
DRAWN = set("svg desc rect text path polyline polygon g title".split())
ATTRIBUTES = set("lang charset http-equiv content name class scope colspan width height viewBox role aria-label "
                 "font-family font-size font-weight x y fill stroke stroke-width stroke-opacity stroke-linejoin "
                 "stroke-linecap stroke-dasharray paint-order text-anchor transform d points fill-opacity".split())


def shape(element):
    return element.tag, sorted(element.attrib), [shape(child) for child in element]


def check(root):
    for element in root.iter():
        name = element.tag.removeprefix(SVG)
        assert name in (DRAWN if element.tag.startswith(SVG) else TAGS), f"tag {element.tag}"
        assert set(element.attrib) <= ATTRIBUTES, f"{name}: {set(element.attrib) - ATTRIBUTES}"
        if name == "th":
            assert element.get("scope") in ("row", "col")
        if name == "figure":
            drawing = element.find(SVG + "svg")
            assert drawing.get("role") == "img" and drawing.get("aria-label")


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        pages = {}
        for path in sorted(pathlib.Path(folder).iterdir()):
            text = path.read_bytes().decode("utf-8")  # strict
            pages[path.name] = ElementTree.fromstring(text)
            check(pages[path.name])
            print(f"{path.name}: {len(text)} characters, {sum(1 for _ in pages[path.name].iter())} elements")
        assert len(pages) == 3
        # A hostile word may lose labels for want of room, never add an element: all but drawings is alike.
        tame, hostile = pages["tame.html"], pages["hostile.html"]
        for page in (tame, hostile):
            for drawing in list(page.iter(SVG + "svg")):
                drawing.clear()
        assert shape(tame) == shape(hostile)
        assert hostile.find("head/title").text.startswith("<script>alert(1)</script>\"'>")


if __name__ == "__main__":
    main()
