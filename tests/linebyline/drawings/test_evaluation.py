"""Drawings of scores: what they show is what their numbers say."""

from linebyline.drawings import evaluation


def test_the_second_model_is_right_only_where_the_first_is():
    pairs = list(zip(evaluation.FIRST, evaluation.SECOND, strict=True))
    assert pairs.count(("1", "0")) == 3 and pairs.count(("0", "1")) == 0
    assert "three questions only" in evaluation.same_items().svg()


def test_the_three_scores_prefer_different_sentences():
    (first, one), (second, two) = evaluation.SURPRISES.items()
    own = [sum(nats for _, nats, _ in each) for each in (one, two)]
    others = [sum(nats for _, _, nats in each) for each in (one, two)]
    assert own[0] < own[1] and own[0] / len(first.split()) > own[1] / len(second.split())
    assert others[0] > own[0] and others[1] < own[1]
    drawn = evaluation.two_scores().svg()
    assert "= 2.1" in drawn and "= −1.7" in drawn


def test_the_smallest_hashes_are_equal_only_where_a_shared_shingle_has_them():
    smallest = [
        [min(hashes, key=lambda each: each[i]) for i in (1, 2)]
        for hashes in (
            [each for each in evaluation.SHINGLES.values() if each[0] in (name, "both")] for name in ("first", "second")
        )
    ]
    assert smallest[0][0] == smallest[1][0] and smallest[0][0][0] == "both"
    assert smallest[0][1] != smallest[1][1] and "differ" in evaluation.smallest_hashes().svg()


def test_the_shingles_are_in_two_copies_of_a_page():
    rest = ". the friend of Dan is Vic ."
    pages = {"first": f"it rains today {rest}", "second": f"Dan smiles {rest}"}
    for text, (place, *_) in evaluation.SHINGLES.items():
        assert {name for name, page in pages.items() if text in page} == ({*pages} if place == "both" else {place})
