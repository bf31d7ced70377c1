"""The cheat sheets: each holds what its chapter says, and is a page of the PDF."""

import re
from pathlib import Path

import paper
import pytest
from lxml import html

HTML = Path(__file__).parents[2] / "_build" / "html"
SHEETS = html.parse(HTML / "book" / "cheat_sheets.html").getroot()
SECTIONS = SHEETS.xpath("//section[div[contains(@class, 'sheet')]]")


def equations(part):
    """The TeX of the numbered equations of a part of a page before its exercises."""
    found = part.xpath(".//div[contains(@class, 'math')][.//*[@class='eqno']]")
    outside = [one for one in found if not one.xpath("ancestor::*[contains(@class, 'exercise')]")]
    return [
        one.xpath("string(.//annotation)") for one in outside if not one.xpath("ancestor::section[@id='exercises']")
    ]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.get("id"))
def test_a_sheet_has_the_equations_and_the_take_away_of_its_chapter(section):
    (chapter,) = section.xpath("./p/a/@href")
    page = html.parse(HTML / "book" / chapter).getroot()
    assert equations(section) == [tex for tex in equations(page) if tex in set(equations(section))]
    assert len(equations(section)) >= min(3, len(equations(page)))
    (box,) = page.find_class("admonition-take-away")
    (points,) = section.xpath("./div/ul")
    assert points.text_content().split() == box.xpath(".//ul")[0].text_content().split()


def test_every_sheet_is_one_page_on_paper():
    numbers = paper.pages_of((HTML / paper.NAME).read_bytes())
    places = [section[0].get("id") or section.get("id") for section in SECTIONS]
    starts = [numbers[f"cheat_sheets--{place}"] for place in places]
    assert starts == list(range(starts[0], starts[0] + len(starts)))


def test_no_link_of_a_sheet_leads_nowhere():
    names = {"cheat_sheets.html": set(SHEETS.xpath("//@id"))}
    for target in SHEETS.xpath("//div[contains(@class, 'sheet')]//a/@href"):
        page, _, anchor = target.partition("#")
        page = page or "cheat_sheets.html"
        if page not in names:
            names[page] = set(re.findall(r'id="([^"]+)"', (HTML / "book" / page).read_text(encoding="utf-8")))
        assert not anchor or anchor in names[page], target
