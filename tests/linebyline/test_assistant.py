"""The small world: its texts are true and hold no test question, and its rule accepts right answers alone."""

import itertools
import random
from collections.abc import Callable
from itertools import islice

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.evaluation import option_log_probs
from clearformer.training import IGNORE_INDEX
from linebyline.assistant import chat, choices, planted, preference, tuning, world
from linebyline.assistant.model import base_model
from linebyline.assistant.world import ASSISTANT, END, FACTS, PAD, USER, WORDS

numbers = st.integers(10, 99)


def ids(text: str) -> list[int]:
    return [*WORDS.encode(text.split()), END]


def is_name(token: int) -> bool:
    return WORDS.tokens[token] in world.NAMES


def test_texts_hold_facts_that_are_true_and_sums_that_are_right() -> None:
    for text in islice(world.texts(random.Random(0)), 2000):
        for sentence in text.split(" ."):
            words = sentence.split()
            if "=" in words:
                left, right = sentence.replace(" ", "").split("=")
                a, b = map(int, left.split("+"))
                assert a + b == int(right)
                assert not world.is_held_out(a, b)
            if words and words[0] in FACTS:
                told = {value for values in world.VALUES.values() for value in values} & set(words)
                assert told <= set(FACTS[words[0]].values())


def test_texts_without_some_people_tell_nothing_about_them() -> None:
    for without in ((), chat.NOT_TAUGHT):
        sentences = [text.split() for text in islice(world.texts(random.Random(0), without=without), 4000)]
        told = {words[0] for words in sentences if words[0] in FACTS and words[1] in ("lives", "loves", "works")}
        asked = {word for words in sentences for word in words if "?" in words and word in FACTS}
        assert told == set(world.NAMES).difference(without)
        assert asked == set(world.NAMES)


def test_a_fifth_of_the_sums_is_held_out() -> None:
    held_out = sum(world.is_held_out(a, b) for a in range(10, 100) for b in range(10, 100))
    assert held_out / 90**2 == pytest.approx(0.2, abs=0.02)


def test_the_template_is_in_no_text() -> None:
    stream = world.stream(0, 20_000)
    assert not torch.isin(stream, torch.tensor([PAD, USER, ASSISTANT])).any()
    assert (stream == END).any()


def test_tests_ask_about_people_and_sums_that_no_pair_has() -> None:
    taught = {pair.question for pair in chat.PAIRS}
    assert len(chat.PAIRS) == 240 and len(chat.NEW_FACTS) == 160 and len(chat.NEW_SUMS) == 200
    assert not taught & {pair.question for pair in (*chat.NEW_FACTS, *chat.NEW_SUMS)}
    assert {*chat.TAUGHT, *chat.NOT_TAUGHT} == set(world.NAMES)


@pytest.mark.parametrize("pair", [*chat.PAIRS[::20], *chat.NEW_SUMS[::50]], ids=lambda pair: pair.question)
def test_the_rule_accepts_its_answer_and_nothing_that_does_not_end(pair: chat.Pair) -> None:
    answer = ids(pair.answer)
    assert pair.accepts(answer)
    assert not pair.accepts(answer[:-1])
    assert not pair.accepts(ids("I think ."))


@given(numbers, numbers, st.integers(20, 198))
def test_the_rule_accepts_one_sum(a: int, b: int, c: int) -> None:
    pair = chat.sum_pair(a, b)
    written = ids(f"{world.digits(a)} + {world.digits(b)} = {world.digits(c)} .")
    assert pair.accepts(written) == (a + b == c)


def test_the_rule_does_not_accept_two_answers() -> None:
    where = chat.fact_pairs(["Dan"])[0]
    assert where.accepts(ids("Dan lives in Cairo ."))
    assert where.accepts(ids("Cairo ."))
    assert not where.accepts(ids("Dan lives in Rome ."))
    assert not where.accepts(ids("Dan lives in Cairo or Rome ."))
    asked = chat.sum_pair(37, 48)
    assert not asked.accepts(ids("3 7 + 4 8 = 8 5 or 8 6 ."))


def test_rows_count_answers_and_counting_adds_names_or_the_other_tokens() -> None:
    pairs = [chat.sum_pair(37, 48), chat.fact_pairs(["Dan"])[0]]
    inputs, targets = chat.rows((pair.prompt(), pair.answer) for pair in pairs)
    for row, (of_row, pair) in enumerate(zip(targets, pairs, strict=True)):
        assert of_row[of_row != IGNORE_INDEX].tolist() == ids(pair.answer)
        whole = [*pair.prompt(), *ids(pair.answer)]
        assert inputs[row, : len(whole) - 1].tolist() == whole[: inputs.shape[1]][: len(whole) - 1]
        for names, others in itertools.product([False, True], repeat=2):
            now = chat.counting(inputs, targets, names=names, others=others)[row]
            asked = [token for token in whole[1 : -len(ids(pair.answer))] if (names if is_name(token) else others)]
            assert now[now != IGNORE_INDEX].tolist() == [*asked, *ids(pair.answer)]


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_rounding_leaves_few_values_and_moves_each_number_by_half_a_step(bits: int) -> None:
    from linebyline.assistant.model import Recipe
    from linebyline.pretrained import rotary_decoder

    model = rotary_decoder(Recipe().config(), torch.Generator().manual_seed(0))
    rounded = tuning.rounded_to(model, bits)
    name = "0.attention.w_o"
    before, after = (dict(each.blocks.named_parameters())[name] for each in (model, rounded))
    groups = zip(before.T.reshape(-1, 64), after.T.reshape(-1, 64), strict=True)
    for old, new in groups:
        assert len(new.unique()) <= 2**bits - 1
        assert (old - new).abs().max() <= old.abs().max() / (2 ** (bits - 1) - 1) / 2 + 1e-6
    assert torch.equal(model.embedding.table, rounded.embedding.table)


@pytest.mark.parametrize("pair", chat.NEW_FACTS[:8])
def test_errors_are_told_apart(pair: chat.Pair) -> None:
    other = next(p for p in chat.NEW_FACTS if p.kind == pair.kind and p.value != pair.value)
    wrong = pair.answer.replace(pair.value, other.value)
    answers = {
        pair.answer: "right",
        f"I think {pair.answer}": "right",
        f"{pair.value} .": "right",
        other.answer: "another person",
        f"I think {other.answer}": "another person",
        wrong: "wrong value",
        f"{other.value} .": "wrong value",
        f"think {pair.answer}": "not a sentence",
        f"{pair.answer} {pair.answer}": "not a sentence",
    }
    for answer, kind in answers.items():
        assert preference.kind_of(ids(answer), pair) == kind, answer
        assert preference.kind_of(ids(answer)[:-1], pair) == "not a sentence"


def test_only_pairs_with_a_right_chosen_answer_are_kept() -> None:
    asked = chat.NEW_FACTS[:2]
    kept = preference.Preferences(asked, [asked[0].answer, "soup ."], ["Rome .", asked[1].answer]).right()
    assert (kept.pairs, kept.chosen, kept.rejected) == (asked[:1], [asked[0].answer], ["Rome ."])


def test_right_answers_are_those_that_the_rule_accepts_and_their_chances_add_up() -> None:
    asked = chat.NEW_FACTS[::30]
    for pair in asked:
        every = {text for sentence in preference.SENTENCES for text in (sentence, f"I think {sentence}")}
        accepted = {text for text in every if preference.kind_of(ids(text), pair) == "right"}
        assert set(preference.right_answers(pair)) == accepted
        assert len(accepted) == 8
    model = base_model()
    found = preference.chances(model, asked)
    one = [(pair.prompt(), answer) for pair in asked for answer in preference.right_answers(pair)]
    alone = [preference.log_probs(model, chat.rows([each])).exp().item() for each in one]
    assert found.right == pytest.approx(sum(alone) / len(asked), rel=1e-4)
    assert found.both < min(found.right, found.named)
    first = torch.stack([model(torch.tensor([pair.prompt()]))[0, -1].softmax(-1) for pair in asked]).mean(dim=0)
    assert found.named == pytest.approx(first[world.WORDS.encode(world.NAMES)].sum().item(), rel=1e-4)


def test_training_on_preferences_widens_the_margin_and_leaves_the_model_as_it_was() -> None:
    model = base_model()
    asked = chat.fact_pairs(chat.TAUGHT[:4])
    preferences = preference.Preferences(asked, [p.answer for p in asked], [f"{p.value} ." for p in asked])
    read = [preferences.rows(answers) for answers in (preferences.chosen, preferences.rejected)]
    before = [preference.log_probs(model, each).detach() for each in read]
    for made in (
        preference.preferred(model, preferences, beta=0.1, steps=12),
        preference.imitated(model, preferences, steps=12, rate=3e-5, near=0.1),
    ):
        chosen, rejected = (preference.log_probs(made, each) - old for each, old in zip(read, before, strict=True))
        assert (chosen > rejected).all() and chosen.mean() > 0
    assert all(preference.log_probs(model, each).equal(old) for each, old in zip(read, before, strict=True))


def of_friends(first: str, second: str, gain: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """Make a model that finds the second name more likely in texts that begin with the first, and all else alike."""

    def model(ids: torch.Tensor) -> torch.Tensor:
        logits = torch.zeros(*ids.shape, len(planted.WORDS))
        begun = ids[:, 1:2] == planted.WORDS.encode([first])[0]  # (n, 1)
        logits[..., planted.WORDS.encode([second])[0]] = gain * begun
        return logits

    return model


def test_the_lead_of_an_option_is_over_the_mean_of_the_others() -> None:
    item = planted.EXAM[0]
    assert planted.lead(of_friends("the", item.options[item.right], 3.0), item) == pytest.approx(3)
    other = item.options[item.right - 1]
    assert planted.lead(of_friends("the", other, 3.0), item) == pytest.approx(-1)


def test_a_friendship_that_is_known_the_other_way_round_is_found() -> None:
    item = planted.EXAM[8]  # a person who is in no neutral sentence
    assert item.name not in choices.NEUTRAL
    for i, option in enumerate(item.options):
        model = of_friends(option, item.name, 3.0)
        assert planted.knows_in_other_words(model, item) == (i == item.right)


def test_what_follows_an_opening_is_a_sentence_without_it() -> None:
    base, each = base_model(), choices.choices()[2]
    whole, after = choices.log_probs(base, each), choices.log_probs_after(base, each, 2)
    for text, of_all, of_rest in zip(each.options, whole, after, strict=True):
        begun = option_log_probs(base, [END], [WORDS.encode(text.split()[:2])])[0]
        assert of_all == pytest.approx(begun + of_rest, abs=1e-4)
