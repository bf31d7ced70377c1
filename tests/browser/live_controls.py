"""The live model of a page under test: start it, let it generate, ask its session."""

IDLE = "() => !document.querySelector('.live-model').liveModel.run"


def started(visit, url, **options):
    """Visit a page, start its model, and stop and take back what it writes at once."""
    seen = visit(url, **options)
    seen.page.click(".lm-start")
    seen.page.wait_for_selector(".live-model[data-live=yes]")
    seen.page.press(".lm-reset", "Enter")
    return seen


def start(page):
    """Start the model of a page, and wait until it has written its first text."""
    page.click(".lm-start")
    page.wait_for_selector(".live-model[data-live=yes]")
    page.wait_for_function(IDLE)


def session(page, code):
    """The value of an expression about the session `s`."""
    return page.evaluate(
        f"() => {{ const s = document.querySelector('.live-model').liveModel.session; return {code} }}"
    )


def generate(page):
    """Press Generate and wait for the end."""
    page.press(".lm-generate", "Enter")
    page.wait_for_function(IDLE)
