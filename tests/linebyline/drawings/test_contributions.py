"""The drawings of what a row takes: weight times value, and the word with the most points is written."""

from linebyline.drawings import contributions


def test_what_has_the_most_points_together_is_written():
    said = contributions().description
    assert "ice, weight 0.4, value (5, 2, −6, −2); cream, weight 0.6, value (−5, 6, 5, −4)" in said
    assert "from ice (2, 0.8, −2.4, −0.8); from cream (−3, 3.6, 3, −2.4)" in said
    assert "together (−1, 4.4, 0.6, −3.2), which writes glass" in said


def test_the_larger_weight_may_take_less():
    said = contributions(("Ann", "loves"), (0.54, 0.4), ("Anna", "älskar"), ((5, 0), (-8, 8))).description
    assert "together (−0.5, 3.2), which writes älskar" in said and "from loves (−3.2, 3.2)" in said


def test_half_of_each_of_two_words_writes_a_third():
    said = contributions(("a", "b"), (0.5, 0.5), ("one", "two", "three"), ((5, -7, 2), (-7, 5, 2))).description
    assert "together (−1, −1, 2), which writes three" in said


def test_a_hidden_word_leaves_all_of_the_weight_to_the_other():
    drawing = contributions(hide=True)
    after = drawing.svg().partition(">one word hidden: the value of the other<")[0].partition(">hide cream<")[2]
    without_cream, without_ice = after.split(">hide ice<")
    assert ">isvatten<" in without_cream and ">glass<" in without_ice
    assert "Without cream, the points are those of ice, and isvatten is written." in drawing.description
    assert ">hide " not in contributions().svg()
