"""The drawings of what a row takes: weight times value, and the word with the most points is written."""

from linebyline.drawings import contributions


def test_each_word_alone_and_together_write_what_has_the_most_points():
    said = contributions().description
    assert "ice, weight 0.4, value (5, 2, −6, −2), which alone would write isvatten" in said
    assert "cream, weight 0.6, value (−5, 6, 5, −4), which alone would write glass" in said
    assert "from ice (2, 0.8, −2.4, −0.8); from cream (−3, 3.6, 3, −2.4)" in said
    assert "together (−1, 4.4, 0.6, −3.2), which writes glass" in said


def test_the_larger_weight_may_take_less():
    said = contributions(("Ann", "loves"), (0.54, 0.4), ("Anna", "älskar"), ((5, 0), (-8, 8))).description
    assert "together (−0.5, 3.2), which writes älskar" in said and "from loves (−3.2, 3.2)" in said


def test_half_of_each_of_two_words_writes_a_third():
    said = contributions(("a", "b"), (0.5, 0.5), ("one", "two", "three"), ((5, -7, 2), (-7, 5, 2))).description
    assert "alone would write one" in said and "alone would write two" in said and "which writes three" in said


def test_a_hidden_word_leaves_all_of_the_weight_to_the_other():
    drawn = contributions(hide=True).svg()
    after = drawn.partition("1 × the value of the other word")[0].partition(">hide cream<")[2]
    without_cream, without_ice = after.split(">hide ice<")
    assert ">isvatten<" in without_cream and ">glass<" in without_ice
    assert ">alone<" not in drawn and ">hide " not in contributions().svg()
