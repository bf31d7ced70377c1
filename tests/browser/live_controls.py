"""The live model of a page under test: start it, let it generate, ask its session, find it in the book."""

from pathlib import Path

from tests.browser.evaluate import evaluate

HTML = Path(__file__).parents[2] / "_build" / "html"
IDLE = "() => !document.querySelector('.live-model').liveModel.run"


def opened(visit, url, kind, **options):
    """Visit a page and start its live model of a kind."""
    seen = visit(url, **options)
    seen.page.click(f".{kind} .lm-start")
    seen.page.wait_for_selector(f".{kind}[data-live=yes]")
    return seen


def started(visit, url, **options):
    """Visit a page, start its model, and stop and take back what it writes at once."""
    seen = opened(visit, url, "live-model", **options)
    seen.page.press(".lm-reset", "Enter")
    return seen


def start(page):
    """Start the model of a page, and wait until it has written its first text."""
    page.click(".lm-start")
    page.wait_for_selector(".live-model[data-live=yes]")
    page.wait_for_function(IDLE)


def focused(page):
    """The class of what has the focus, or its tag where it has none."""
    return page.evaluate("document.activeElement.className || document.activeElement.tagName")


def start_by_keyboard(page, kind, text):
    """Reach a live model by the keyboard alone, start it, and type a text."""
    while focused(page) != "lm-start":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(f".{kind}[data-live=yes]")
    assert focused(page) == "lm-text"
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def walk(page, keys, end=("BODY",)):
    """Go from control to control, press on each the key it is given, and say which were reached."""
    seen = []
    while (name := focused(page)) not in end:
        if name in keys:
            page.keyboard.press(keys[name])
            page.wait_for_function("() => !document.querySelector('.live-model')?.liveModel.run")
            assert focused(page) == name
        seen.append(name)
        page.keyboard.press("Tab")
    return seen


def session(page, code):
    """The value of an expression about the session `s`."""
    return page.evaluate(
        f"() => {{ const s = document.querySelector('.live-model').liveModel.session; return {code} }}"
    )


def kept_session(page, kind):
    """The session of a started live model of a kind, which remembers what it is now."""
    handle = page.evaluate_handle(f"document.querySelector('.{kind}').liveModel.session")
    handle.evaluate("s => { window.asStarted = {...s} }")
    return handle


def as_started(handle, back="Object.assign(s, asStarted)"):
    """A kept session after it went back; `ask(code, arg)` sees it as `s`."""
    handle.evaluate(f"s => {{ {back} }}")
    return lambda code, arg=None: evaluate(handle, f"(s, arg) => {{ {code} }}", arg)


def generate(page):
    """Press Generate and wait for the end."""
    page.press(".lm-generate", "Enter")
    page.wait_for_function(IDLE)


def pages_with(kind):
    """The pages of the built book that hold a live model of a kind."""
    pages = sorted(HTML.rglob("book/*.html"))
    held = f'<div class="{kind} live-net"'
    return [path.relative_to(HTML).as_posix() for path in pages if held in path.read_text(encoding="utf-8")]
