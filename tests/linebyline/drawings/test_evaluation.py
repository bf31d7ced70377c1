"""Drawings of scores: what they show is what their numbers say."""

from linebyline.drawings import evaluation


def test_the_second_model_is_right_only_where_the_first_is():
    pairs = list(zip(evaluation.FIRST, evaluation.SECOND, strict=True))
    assert pairs.count(("1", "0")) == 3 and pairs.count(("0", "1")) == 0
    assert "three questions only" in evaluation.same_items().svg()


def test_sum_and_mean_prefer_different_sentences():
    sums = [sum(each) for each in evaluation.SURPRISES.values()]
    means = [sum(each) / len(each) for each in evaluation.SURPRISES.values()]
    assert sums[0] < sums[1] and means[0] > means[1]


def test_the_smallest_hash_is_shared():
    first, second = map(set, evaluation.SETS.values())
    assert first & second == evaluation.SHARED and len(first | second) == 5
    assert min(first) == min(second) == 8
