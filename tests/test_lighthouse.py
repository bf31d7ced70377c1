"""Laws of the benchmark with Lighthouse: what it makes of reports, without a browser."""

import json
import re
from functools import partial
from urllib.request import Request, urlopen

import pytest

from benchmarks import lighthouse
from benchmarks.records import record
from benchmarks.serving import Compressing, served

FACTS = {"processor": "Quick(TM) 7/3 @ 2GHz", "cores": 5, "system": "Linux x86_64", "python": "3.11.7", "packages": {}}


def reported(performance, index=1500.0):
    given = {"performance": performance, "accessibility": 1.0, "best-practices": 1.0}
    return {
        "categories": {name: {"score": score} for name, score in given.items()},
        "environment": {"benchmarkIndex": index},
    }


def test_scores_are_medians_of_each_category():
    assert lighthouse.scores(map(reported, [0.5, 0.99, 0.97, 0.1, 0.98])) == (0.97, 1.0, 1.0)


def test_what_only_the_first_run_was_asked_is_its_answer():
    whole, timed = reported(0.9), reported(0.8)
    whole["categories"]["accessibility"]["score"] = 0.7
    timed["categories"] = {"performance": timed["categories"]["performance"]}
    assert lighthouse.scores([whole, timed, timed]) == (0.8, 0.7, 1.0)


def test_a_timed_run_asks_for_all_that_the_score_of_performance_is_made_of():
    config = (lighthouse.LIGHTHOUSE / "core" / "config" / "default-config.js").read_text(encoding="utf-8")
    weighed = re.findall(r"{id: '([a-z-]+)', weight: [1-9]\d*, group: 'metrics'", config)
    assert sorted(weighed) == sorted(lighthouse.METRICS)


def test_one_slow_start_does_not_change_the_index():
    assert lighthouse.index_of([reported(1, 1480.0), reported(1, 200.0), reported(1, 1500.0)]) == 1480


@pytest.mark.parametrize(("index", "times"), [(3000, 4), (1500, 4), (960, 2.56), (750, 2), (375, 1), (100, 1)])
def test_the_phone_is_the_same_on_a_slower_processor(index, times):
    assert lighthouse.slowdown(index) == pytest.approx(times)


def test_only_the_phone_is_slowed_down_and_each_page_is_measured_as_often():
    asked = []

    def measure(*call):
        asked.append(call)
        return reported(len(asked) / 10)

    rows = list(lighthouse.audited(["a", "b"], 3, 2.5, measure, {}, built=str))
    kinds = (lighthouse.WHOLE, lighthouse.TIMED, lighthouse.TIMED)
    devices = (("mobile", 2.5), ("desktop", 1.0))
    assert asked == [(page, *device, kind) for page in "ab" for device in devices for kind in kinds]
    assert [(page, device, found[0]) for page, device, found in rows] == [
        ("a", "mobile", 0.2),
        ("a", "desktop", 0.5),
        ("b", "mobile", 0.8),
        ("b", "desktop", 1.1),
    ]


def test_an_interrupted_run_goes_on_with_the_pages_that_it_has_not_measured_as_they_are(tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "style.css").write_text("b{}")
    for name in "ab":
        (tmp_path / name).write_text(name)
    asked = []

    def measure(page, device, *_):
        if len(asked) == 3:
            raise TimeoutError
        asked.append((page, device))
        return reported(0.9)

    def run():
        kept, built = lighthouse.Kept(tmp_path / "kept.json"), partial(lighthouse.built, html=tmp_path)
        return list(lighthouse.audited("ab", 1, 1.0, measure, kept, built))

    with pytest.raises(TimeoutError):
        run()
    assert asked == [("a", "mobile"), ("a", "desktop"), ("b", "mobile")]
    asked.clear()
    assert [row[:2] for row in run()] == [(page, device) for page in "ab" for device in ("mobile", "desktop")]
    assert asked == [("b", "desktop")]
    (tmp_path / "a").write_text("changed")
    asked.clear()
    assert run()[0] == ("a", "mobile", (0.9, 1.0, 1.0))
    assert asked == [("a", "mobile"), ("a", "desktop")]
    (tmp_path / "_static" / "style.css").write_text("i{}")
    asked.clear()
    with pytest.raises(TimeoutError):
        run()


def test_the_record_has_the_lowest_page_of_each_device_and_whether_targets_hold(tmp_path):
    rows = [("a", "mobile", (0.95, 1, 1)), ("b", "mobile", (0.96, 0.9, 1)), ("a", "desktop", (0.98, 1, 1))]
    lines = lighthouse.lowest(rows)
    assert [(line.ours, line.target, line.holds) for line in lines] == [
        (95, 95, True),
        (90, 100, False),
        (100, 100, True),
        (98, 99, False),
        (100, 100, True),
        (100, 100, True),
    ]
    written = json.loads(record("lighthouse", FACTS, "Note.", quantities=lines, results=tmp_path).read_text())
    assert [line["ours"] for line in written["quantities"]] == [line.ours for line in lines]


def test_texts_are_sent_compressed_and_fonts_as_they_are(tmp_path):
    (tmp_path / "page.html").write_text("word " * 1000)
    (tmp_path / "font.woff2").write_bytes(b"x" * 1000)
    with served(tmp_path, Compressing) as address:
        for name, encoding in (("page.html", "gzip"), ("font.woff2", None)):
            with urlopen(Request(f"{address}/{name}")) as answer:
                assert answer.headers["Content-Encoding"] == encoding
                assert int(answer.headers["Content-Length"]) == len(answer.read())
