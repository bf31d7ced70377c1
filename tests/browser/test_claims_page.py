"""The ledger as a page: rows that can be found, linked to and sent to others."""

import re
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import expect

from linebyline.claims import ledger

HTML = Path(__file__).parents[2] / "_build" / "html"
PAGE = "book/claims.html"
SHOWN = "[...document.querySelectorAll('.tag_ledger tbody tr')].filter(row => row.checkVisibility()).map(row => row.id)"
TEXTS = "[...document.querySelectorAll('.tag_ledger tbody tr')].map(row => [row.id, row.textContent])"
CORRECTED = [claim for claim in ledger() if claim.verdict == "corrected" and claim.document == "003"]


@pytest.fixture(params=["http", "file"])
def opened(request, visit, site):
    """Opens the page with something after its address, from a server and from disk."""
    base = f"{site}/{PAGE}" if request.param == "http" else (HTML / PAGE).as_uri()
    return lambda after="": visit(base + after).page


def test_every_claim_has_a_row_and_every_row_leads_to_its_section():
    text = (HTML / PAGE).read_text(encoding="utf-8")
    assert sorted(re.findall(r'<tr[^>]* id="(claim-[^"]+)"', text)) == sorted(claim.anchor for claim in ledger())
    links = re.findall(r'<p class="ledger-section"><a class="reference internal" href="([\w.]+)#([^"]+)"', text)
    assert len(links) == len(ledger())
    for page, anchor in set(links):
        assert f'id="{anchor}"' in (HTML / "book" / page).read_text(encoding="utf-8"), (page, anchor)


def test_every_chapter_that_settles_a_claim_links_to_it():
    texts = [page.read_text(encoding="utf-8") for page in (HTML / "book").glob("*.html")]
    linked = [anchor for text in texts for anchor in re.findall(r'href="claims\.html#(claim-[^"]+)" title=', text)]
    assert sorted(linked) == sorted(claim.anchor for claim in ledger())
    folded = re.compile(r'<details class="claims-here">.*?</details>')
    lists = {unescape(part) for text in texts for part in folded.findall(text)}
    for claim in ledger():  # what is claimed, and what we found, without a key
        (here,) = [each for each in lists if f'#{claim.anchor}"' in each]
        assert f"“{claim.statement}”" in here and claim.finding in here


def test_filters_work_by_keyboard_and_stand_in_the_address(opened):
    page = opened()
    assert len(page.evaluate(SHOWN)) == len(ledger())
    page.focus("[name=document]")
    page.keyboard.type("003")
    page.keyboard.press("Tab")
    page.keyboard.type("corrected")
    expected = sorted(claim.anchor for claim in CORRECTED)
    assert sorted(page.evaluate(SHOWN)) == expected
    assert page.text_content(".claims-form output") == f"{len(CORRECTED)} of {len(ledger())} claims"
    expect(page).to_have_url(re.compile(r"\?document=003&verdict=corrected$"))
    page.reload()
    assert sorted(page.evaluate(SHOWN)) == expected
    page.focus(".claims-form button")
    page.keyboard.press("Enter")
    assert len(page.evaluate(SHOWN)) == len(ledger())
    expect(page).to_have_url(re.compile(r"claims\.html$"))


def test_words_are_all_in_the_rows_that_stay(opened):
    page = opened("?words=SCORE%20softmax")
    rows = page.evaluate(SHOWN)
    texts = page.evaluate(TEXTS)
    assert 0 < len(rows) < len(texts) == len(ledger())
    assert rows == [row for row, text in texts if "score" in text.lower() and "softmax" in text.lower()]
    headings = page.evaluate(
        "[...document.querySelectorAll('section:has(> .tag_ledger)')].map(s => s.checkVisibility())"
    )
    assert 0 < sum(headings) < len(headings)


def test_a_row_that_was_linked_to_is_shown_whatever_was_chosen(opened):
    page = opened("?document=000")
    page.evaluate("location.hash = '#claim-003-large-batch'")
    page.wait_for_function("document.querySelector('#claim-003-large-batch').checkVisibility()")


def test_without_scripts_all_rows_stand_there(without_scripts, site):
    without_scripts.goto(f"{site}/{PAGE}")
    assert without_scripts.locator(".tag_ledger tbody tr:visible").count() == len(ledger())
