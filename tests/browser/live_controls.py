"""The live model of a page under test: start it, let it generate, ask its session, find it in the book."""

from pathlib import Path

from tests.browser.evaluate import evaluate

HTML = Path(__file__).parents[2] / "_build" / "html"
IDLE = "() => !document.querySelector('.live-net').liveModel?.run"


def start(page, kind="live-net"):
    """Start the live model of a page."""
    page.click(f".{kind} .lm-start")
    page.wait_for_selector(f".{kind}[data-live=yes]")


def opened(visit, url, kind="live-net", **options):
    """Visit a page and start its live model of a kind."""
    seen = visit(url, **options)
    start(seen.page, kind)
    return seen


def focused(page):
    """The class of what has the focus, or its tag where it has none."""
    return page.evaluate("document.activeElement.className || document.activeElement.tagName")


def start_by_keyboard(page, text):
    """Reach a live model by the keyboard alone, start it, and type a text."""
    while focused(page) != "lm-start":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".live-net[data-live=yes]")
    assert focused(page) == "lm-text"
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def walk(page, keys, end=("BODY",)):
    """Go from control to control, press on each the key it is given, and say which were reached."""
    seen = []
    while (name := focused(page)) not in end:
        if name in keys:
            page.keyboard.press(keys[name])
            page.wait_for_function(IDLE)
            assert focused(page) == name
        seen.append(name)
        page.keyboard.press("Tab")
    return seen


def enter(page, text):
    """Type a sentence, and let it be read or translated."""
    page.fill(".lm-text", text)
    page.press(".lm-text", "Enter")


def generate(page):
    """Press Generate and wait for the end."""
    page.press(".lm-generate", "Enter")
    page.wait_for_function(IDLE)


def session(page, code):
    """The value of an expression, or what statements return, about the session `s`."""
    body = code if "return " in code else f"return {code}"
    return evaluate(page, f"() => {{ const s = document.querySelector('.live-net').liveModel.session; {body} }}")


def fractions(page, selector):
    """The fractions that bars are drawn by."""
    bars = "bars => bars.map(bar => Number(bar.style.getPropertyValue('--share')))"
    return page.locator(f"{selector} .lm-bar").evaluate_all(bars)


def pages_with(kind):
    """The pages of the built book that hold a live model of a kind."""
    pages = sorted(HTML.rglob("book/*.html"))
    held = f'<div class="{kind} live-net"'
    return [path.relative_to(HTML).as_posix() for path in pages if held in path.read_text(encoding="utf-8")]
