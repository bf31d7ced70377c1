"""Exercises answered in the page: it says of an answer what `check` says, and everybody can give one."""

import shutil

import pytest
from page_directives import form

from linebyline.exercises import Diagnose, Pick, Predict, check, registry
from tests.browser.live_page import ROOT, write_html
from tests.browser.serving import served
from tests.browser.visit import violations, violations_of_colors

IN_PAGE = {id: exercise for id, exercise in registry().items() if exercise.kind != "write"}
PREDICT = [id for id, exercise in IN_PAGE.items() if isinstance(exercise, Predict)]
CHOOSE = [id for id, exercise in IN_PAGE.items() if isinstance(exercise, Diagnose | Pick)]
# Times the value: on both sides of what is near, of where a factor is named, and of where it loses its decimal.
FACTORS = (1, 1.0005, 0.999, 1.03, 1.07, 0.93, 1.2, 1.49, 1.51, 0.67, 0.66, 2.04, 3.149, 9.94, 9.96, 10.4, 123.4, 5e5)

# In the page at once: a hand takes a hundred times as long.
GIVE = """(form, answers) => answers.map(numbers => {
  const fields = [...form.querySelectorAll('input')], status = form.querySelector('[role=status]');
  if (fields.length !== numbers.length || fields.some(field => field.type !== 'number')) throw new Error('no fields');
  fields.forEach((field, i) => {
    field.value = numbers[i];
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  form.querySelector('button').click();
  return [[...status.querySelectorAll('p')].map(p => p.innerText), status.classList.contains('in-page-right')];
})"""

CHOOSE_EACH = """form => [...form.querySelectorAll('label')].map(label => {
  const status = form.querySelector('[role=status]');
  label.click();
  form.querySelector('button').click();
  return [Number(label.querySelector('input').value), [...status.querySelectorAll('p')].map(p => p.innerText),
          status.classList.contains('in-page-right')];
})"""
ANSWER_ALL = """() => {
  for (const form of document.querySelectorAll('.in-page')) {
    form.querySelectorAll('input[type=number]').forEach(field => (field.value = 7));
    [...form.querySelectorAll('input[type=radio]')].at(-1)?.click();
    form.querySelector('button').click();
  }
}"""


@pytest.fixture(scope="module", autouse=True)
def computed_once():
    """What a prediction asks for is found by an experiment, each time the same one: here it is made once."""
    compute, found = Predict.values, {}

    def values(exercise, seed=None):
        if (exercise.id, seed) not in found:
            found[exercise.id, seed] = compute(exercise, seed)
        return found[exercise.id, seed]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Predict, "values", values)
        yield


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page of nothing but exercises, written without building the book."""
    folder = tmp_path_factory.mktemp("answers")
    shutil.copy(ROOT / "book" / "_static" / "answers.js", folder)
    body = "".join(f"<h2>{exercise.title}</h2>{form(exercise)}" for exercise in IN_PAGE.values())
    write_html(folder, f"<h1>Answers</h1>{body}", '<script defer src="answers.js"></script>')
    with served(folder) as site:
        yield f"{site}/index.html"


def forms_of(page):
    """The forms of a page, by the id of the exercise."""
    return {id: page.locator(f"[id='answer-{id.replace('.', '-', 1)}']") for id in IN_PAGE}


@pytest.fixture
def forms(visit, address):
    """Those of the page as a reader finds it."""
    return forms_of(visit(address).page)


@pytest.fixture(scope="module")
def kept(browser, address):
    """Those of one page for all tests that give answers: what was said goes when the next answer is typed."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_function("!document.querySelector('.in-page fieldset:disabled')")
        yield forms_of(page)


def words(form):
    return form.get_by_role("status").locator("p").all_inner_texts()


def give_all(form, answers, digits=4):
    """Return one answer after the other, and say what each heard and whether it counted as right."""
    typed = [[f"{number:.{digits}g}" for number in numbers] for numbers in answers]
    return form.evaluate(GIVE, typed)


def said(report):
    lines = [f"{result.name}: {result.message}" for result in report.results]
    return [*lines, report.remark] if report.remark else lines


@pytest.mark.parametrize("id", PREDICT)
def test_the_page_says_of_a_prediction_what_check_says(kept, id):
    values = IN_PAGE[id].values()
    scaled = [[factor * value for value in values] for factor in FACTORS]
    mixed = [[-value for value in values], [0.0 for _ in values], list(values[::-1])]
    typed = [[float(f"{number:.4g}") for number in numbers] for numbers in [*scaled, *mixed]]
    reports = [check(id, numbers) for numbers in typed]
    assert give_all(kept[id], typed) == [[said(report), report.passed] for report in reports]


@pytest.mark.parametrize("id", PREDICT)
def test_a_usual_wrong_guess_hears_its_remark(kept, id):
    wrong = IN_PAGE[id].wrong_answers
    guesses = [[guess] if isinstance(guess, int | float) else guess for guess in wrong.values()]
    heard = give_all(kept[id], guesses, digits=7)
    assert [words[-1] for words, _ in heard] == list(wrong)


@pytest.mark.parametrize("id", CHOOSE)
def test_a_choice_by_mouse_hears_its_word(kept, id):
    """A hand chooses the last one, and the page at once all of them."""
    exercise, form = IN_PAGE[id], kept[id]
    right, remarks = facts(exercise)
    form.locator("label").last.click()
    form.locator("button").click()
    heard = words(form)
    each = form.evaluate(CHOOSE_EACH)
    assert each[-1][1] == heard
    assert right in [number for number, _, _ in each]
    for number, told, is_right in each:
        verdict = "Right." if number == right else "Not this one."
        assert told == [verdict, *([remarks[number]] if number in remarks else [])]
        assert is_right == (number == right)


def facts(exercise):
    """The number of the right choice, and what is said of each."""
    if isinstance(exercise, Diagnose):
        return exercise.fault, exercise.remarks
    remarks = {exercise.options.index(option): remark for remark, option in exercise.wrong_answers.items()}
    return exercise.options.index(exercise.value()), remarks


@pytest.mark.parametrize("id", CHOOSE)
def test_a_choice_by_keyboard_hears_its_word(kept, id):
    form = kept[id]
    right, _ = facts(IN_PAGE[id])
    numbers = [int(field.input_value()) for field in form.locator("input").all()]
    form.locator("input").first.focus()
    form.page.keyboard.press("Space")
    for _ in range(numbers.index(right)):
        form.page.keyboard.press("ArrowDown")
    focus = "getComputedStyle(document.activeElement.closest('label')).outlineStyle"
    assert form.page.evaluate(focus) == "solid"
    form.page.keyboard.press("Tab")
    form.page.keyboard.press("Enter")
    assert words(form)[0] == "Right."


def test_a_prediction_by_keyboard_is_sent_by_return(forms):
    form = forms["attention.score_spread"]
    form.locator("input").focus()
    form.page.keyboard.type("16")
    form.page.keyboard.press("Enter")
    assert words(form)[0].endswith("16 is too low by a factor of 2")


def test_no_answer_is_asked_for_and_a_new_one_clears_the_verdict(forms):
    number, line = forms["attention.score_spread"], forms["attention.softmax"]
    number.locator("button").click()
    line.locator("button").click()
    assert words(number) == ["Give a number first."]
    assert words(line) == ["Choose one first."]
    number.locator("input").fill("3")
    line.locator("input").first.check()
    assert words(number) == words(line) == []


def test_nothing_is_told_before_an_answer(forms):
    page = next(iter(forms.values())).page
    text = page.inner_text("main")
    told = [remark for exercise in IN_PAGE.values() for remark in exercise.wrong_answers]
    told += [word for each in IN_PAGE.values() if isinstance(each, Diagnose) for word in each.remarks.values()]
    assert [word for word in told if word in text] == []


@pytest.mark.parametrize("width", [320, 1280])
def test_everybody_can_use_them(visit, address, width):
    seen = visit(address, width=width)
    seen.page.evaluate(ANSWER_ALL)
    assert seen.page.locator(".in-page-verdict p").count() >= len(IN_PAGE)
    for theme, judge in (("light", violations), ("dark", violations_of_colors)):
        seen.page.emulate_media(color_scheme=theme)
        seen.page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width, theme
        assert judge(seen.page) == [], theme
    assert seen.outside == []


def test_without_scripts_they_wait(without_scripts, address):
    without_scripts.goto(address)
    assert without_scripts.locator(".in-page").count() == len(IN_PAGE)
    assert without_scripts.locator(".in-page input:enabled, .in-page button:enabled").count() == 0
