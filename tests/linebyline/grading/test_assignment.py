"""What an assignment says is read, and whatever is wrong in it is refused with the file, the key and the value."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linebyline.grading.assignment import LateRule, days_late, moment, read_assignment
from tests.linebyline.grading.helpers import TOML, write

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [BERLIN, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("UTC")]
LOCAL = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(lambda time: time.replace(microsecond=0))


def test_an_assignment_is_read(assignment):
    assert assignment.title == "Attention by hand"
    assert [(task.id, task.points, task.credit) for task in assignment.tasks] == [
        ("attention.weighted_average", 1.0, "all"),  # the points of the book
        ("attention.doubled", 1.0, "all"),
        ("attention.softmax", 4.0, "laws"),
    ]
    assert assignment.tasks[0].forbid == ("numpy.average",)
    assert assignment.essays[0].rubric == ("names the spread", "names the softmax")
    assert (assignment.points, assignment.late, assignment.seed()) == (9, LateRule(10, 3), 2026)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('title = "Attention by hand"', "", "title is missing"),
        ('title = "Attention by hand"', "title = 3", "title = 3: expected str, got int"),
        ('title = "Attention by hand"', 'title = " "', "title = ' ': expected one line"),
        ("2026-10-23T23:59:00", "2026-10-23", "due = 2026-10-23: expected datetime, got date"),
        ("2026-10-23T23:59:00", "2026-10-23T23:59:00Z", "due = 2026-10-23 23:59:00+00:00: expected a local time"),
        ("Europe/Berlin", "Europe/Bern", "zone = 'Europe/Bern': expected a time zone"),
        ("percent_per_day = 10", "percent_per_day = 101", "percent_per_day = 101: expected a number from 0 to 100"),
        ("percent_per_day = 10", "percent_per_day = nan", "late.percent_per_day = nan: expected a number"),
        ("last_day = 3", "last_day = -1", "late.last_day = -1: expected a number of days"),
        ("last_day = 3", "last_day = true", "late.last_day = True: expected int, got bool"),
        ("last_day = 3", "last = 3", "late.last = 3: no such key"),
        ("attention.doubled", "attention.trebled", "exercises[1].id = 'attention.trebled': no exercise"),
        ("attention.doubled", "attention.softmax", "id = 'attention.softmax': appears 2 times"),
        ("points = 4", "points = -4", "exercises[2].points = -4: expected 0 or more"),
        ("points = 4", "points = true", "exercises[2].points = True: expected float, got bool"),
        ('credit = "laws"', 'credit = "half"', "exercises[2].credit = 'half': expected one of all, laws"),
        ('id = "attention.doubled"', 'id = "attention.doubled"\ncredit = "laws"', "attention.doubled has no laws"),
        ('["numpy"]', "[1]", "exercises[0].may_use = [1]: expected a list of texts"),
        ('forbid = ["numpy.average"]', "forbids = []", "exercises[0].forbids = []: no such key"),
        ('id = "why"', 'id = "w hy"', "essays[0].id = 'w hy': expected one word"),
        ("[late]", "[late", "Expected ']'"),
        ('seed_file = "a1.seed"', "seed = 0", "seed_file is missing"),
        (TOML.split("[late]")[1], "", "exercises is missing, and so is essays: nothing is asked for"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path, before, after, said):
    assert before in TOML
    file = write(tmp_path, TOML.replace(before, after))
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}: .*{re.escape(said)}") as refused:
        read_assignment(file)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("text", "seed"), [("0", 0), (" 12\n", 12), (str(2**128), 2**128), ("public\n", None)])
def test_a_seed_is_any_whole_number_or_the_word_for_none(tmp_path, text, seed):
    assert read_assignment(write(tmp_path, seed=text)).seed() == seed


@pytest.mark.parametrize("text", ["", "-1", "1.5", "secret", "Public", "²"])
def test_a_seed_that_is_no_number_is_refused(tmp_path, text):
    with pytest.raises(ValueError, match=r"a1\.seed: expected one whole number from 0"):
        read_assignment(write(tmp_path, seed=text)).seed()


def test_a_missing_seed_is_refused_only_when_it_is_needed(assignment):
    assignment.seed_file.unlink()
    with pytest.raises(ValueError, match=r"seed_file = 'a1\.seed': there is no such file"):
        read_assignment(assignment.file).seed()


def test_a_day_is_a_day_of_the_calendar_when_the_clock_changes():
    """Summer time ended in Berlin on 25 October 2026: that day had 25 hours. It began on 29 March, with 23."""
    for due, hours in ((datetime(2026, 10, 24, 12), 25), (datetime(2026, 3, 28, 12), 23), (datetime(2026, 5, 1), 24)):
        start = moment(due, BERLIN)
        assert days_late(due, BERLIN, start) == 0
        assert days_late(due, BERLIN, start + timedelta(seconds=1)) == 1
        assert days_late(due, BERLIN, start + timedelta(hours=hours)) == 1
        assert days_late(due, BERLIN, start + timedelta(hours=hours, seconds=1)) == 2


def test_an_hour_that_comes_twice_is_due_the_second_time():
    assert moment(datetime(2026, 10, 25, 2, 30), BERLIN) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert moment(datetime(2026, 3, 29, 2, 30), BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)  # an hour left out


@given(LOCAL, st.sampled_from(ZONES), st.integers(-400, 400), st.integers(0, 86399))
def test_days_late_are_the_fewest_that_help(due, zone, days, seconds):
    received = moment(due, zone) + timedelta(days=days, seconds=seconds)
    late = days_late(due, zone, received)
    assert received <= moment(due + timedelta(days=late), zone)
    assert late == 0 or received > moment(due + timedelta(days=late - 1), zone)


@pytest.mark.parametrize(
    ("rule", "factors", "words"),
    [
        (LateRule(), [1, 1, 1], ""),
        (LateRule(40), [1, 0.6, 0.2, 0, 0], "costs 40 %"),
        (LateRule(40, 1), [1, 0.6, 0], "After day 1 nothing counts."),
        (LateRule(0, 0), [1, 0], "Nothing counts that comes later."),
    ],
)
def test_the_rule_multiplies_points(rule, factors, words):
    assert [rule.factor(days) for days in range(len(factors))] == pytest.approx(factors)
    assert words in str(rule) and bool(words) == bool(str(rule))
