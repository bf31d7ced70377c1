"""The ledger: every measurement runs, repeats itself and says what the verdict needs."""

import re
from functools import cache

import chapters
import pytest

from linebyline.claims import Claim, declare, ledger, markdown_table

# Readers measure without the checker of shapes, which tests of what is measured run with.
pytestmark = pytest.mark.usefixtures("unchecked")
CLAIMS = {claim.id: claim for claim in ledger()}


@cache
def cited_papers() -> set[str]:
    """Author and year of each paper of the bibliography."""
    return set(re.findall(r"^@\w+\{(\w+?\d{4})", (chapters.ROOT / "references.bib").read_text(encoding="utf-8"), re.M))


@cache
def measured(id: str) -> str:
    return CLAIMS[id].measure()


# --- by hand: numbers worked out on paper, or from the documents' own figures ---


@pytest.mark.parametrize(
    ("id", "value"),
    [
        ("000.scale-cancels-width", "d=4: 4 before, 1.0 after"),
        ("000.score-variance", "0.25, 1.00, 4.00"),
        ("001.scale-by-embedding", "√512 = 22.627, √128 = 11.314, √64 = 8.000"),
        ("001.dot-product-distance", "score 10, distance 13.5, cosine 0.707"),
        ("001.mask-example", "[1.0000], [0.3543 0.6457], [0.0816 0.7367 0.1817], [0.6543 0.0198 0.1082 0.2178]"),
        ("001.mask-gives-zero", "6 of 6"),
        ("001.row-form-unscaled", "exp(88.72)"),
        ("001.single-head-matrices", "1,048,576"),
        ("002.output-entries", "shape (1, 3)"),
        ("004.backward-w", "batch of 2: (2, 5, 3), summed (5, 3)"),
        ("004.backward-x-cross", "(2, 5), (3, 5), (3, 5)"),
        ("004.multi-scale", "6.3 to 60,611"),
        ("004.no-relative", "100% of 93"),
        ("004.score-normal", "3.0 at d=2, 1.5 at d=4, 0.4 at d=16"),
        ("004.tokens-seen", "1, 2, 3, 4, 5"),
        ("001.ids", "the byte e has id 68, and 70 after two special tokens"),
        ("001.mark", "ice, ##cream decodes to 'icecream'; ice, cream to 'ice cream'"),
        ("001.starts-with-sos", "as a signal: 1 id; as plain text: 5 ids"),
        ("001.token-ization", "with token known: token / ##ization"),
        ("001.unknown-words", "from WordPiece [UNK], from bytes café again"),
        ("004.bpe-loop", "30 of 30 merges"),
        ("004.bpe-every-pair", "0 with"),
        ("004.bpe-until-full", "the word abc gives 258"),
        ("000.lookup-order", "(4, 7) times (7, 3) gives (4, 3); (7, 3) times (4, 7) has no product"),
        ("001.bert-small", "token table 30,522 x 512 = 15,627,264; model 28,763,648"),
        ("001.bert-base-large", "Base 109,482,240; Large 335,141,888"),
        ("001.same-vector", "8 of 8 numbers equal; Dan and loves: 0"),
        ("001.printed-layer-norm", "ε=0: -1.3416, -0.4472; ε=1e-5: -1.3411, -0.4470"),
        ("001.batch-norm-over-d", "sum / N = 0.500, sum / D = 0.375"),
        ("001.batch-norm-mixes-tokens", "4 of 4 rows change in training, 1 in use"),
        ("003.jacobian-norm", "x 1.00 (1.0), 10x 1.00 (1.0), x+10 1.00 (11."),
        ("001.comparisons", "144 weights, of which a causal mask lets 78 through"),
        ("001.quadratic", "0.13% at 4, 14% at 512, 50% at 3072"),
        ("001.quadratic-memory", "times 4 all at once, times 2 in blocks"),
        ("001.rows-slower", "not 262,144; operations x 1, passes over K and V 512, not 1"),
        ("001.key-column", "a row has the 512 numbers of a query, a column 4"),
        ("001.drawn-product", "(6, 1) times (1, 5) gives (6, 5); (1, 6) times (6, 1) gives (1, 1)"),
        ("001.cross-wiring", "as drawn (5, 5) times (4, 3) has no product; (4, 5) times (5, 3) gives (4, 3)"),
        ("001.decoder-input", "100% unshifted, 2% shifted"),
        ("001.mask-at-inference", "in 1, 2, 4 layers: 0%, "),
        ("002.keys-from-encoder", "4 of 4 with a source word, 1 of 4 with a target word"),
        ("002.mask-in-training", "5 of 5 later steps without a mask, in 0 with it"),
        ("001.widened-shape", "(4, 4) times (4, 8) gives (4, 8)"),
        ("001.between-tokens", "1 of 4 rows change in the layer, 4 in attention"),
        ("001.gate-is-activation", "= 135,266,304 weights"),
        ("001.hidden-width", "10,922, the next multiple of 256 is 11,008"),
        ("001.which-llama", "6,738,415,616 parameters"),
        ("001.all-words", "of 13 tokens the last one looks at 2 to 11 in effect"),
        ("002.output-is-input", "1.5 nats a token; without block 0, 1, 2 or 3: 9.8, 2.9, 2.6, 1.9; without any: 23"),
        ("003.what-matters", "saves 1.5 nats a token, 0.0 without the head whose score is 0.4, 1.2 without the head"),
        ("001.width-is-context", "of 291 tensors 291 have an axis of 4,096, 0 one of 2,048"),
        ("004.complex-patterns", "best affine map 1, layer of 4 units 0"),
        ("004.energy-is-logit", "p = 0.122 with E = z, 0.629 with E = -z"),
        ("004.unlikely-rise", "p = 0.119, 0.346, 0.333"),
        ("004.tau-to-zero", "logits 2, 1, 0.5 0.000; logits 2, 2, 0.5 0.693"),
        ("004.frequency-formula", "3, 0, 1 times: lower by 1.5, 0.0, 0.5"),
        ("004.presence-harsher", "n=1 frequency 0.5, presence 0.5; n=2 frequency 1.0, presence 0.5"),
        ("004.repetition-formula", "0.516, 0.252, 0.408"),
        ("004.loop-by-feedback", "repeat 'the '"),
        ("001.positions-first", "embedding 1.0, times √512 22.6, encoding 16.0"),
        ("004.objective", "sum to 1.000; the best has 0.245"),
        ("004.greedy-local", "greedy 0.136, best path 0.245"),
        ("004.beam-most-probable", "0.136, 0.140, 0.245; best 0.245"),
        ("004.beam-candidates", "3, 6, 6, 6"),
        ("004.beam-stop", "stops after 2"),
        ("004.length-normalization", "1 at α=0, 6 at α=0.5, 40 at α=1"),
        ("004.top-k-steps", "0.571 0.429"),
        ("004.resample", "0.57 are the first; .4/.7 = 0.57"),
        ("004.top-k-certain", "k=50 keeps 50 (leaves out 0.015), p=.9 keeps 1"),
        ("004.nucleus-exceeds", "2 tokens reach it, 3 exceed it"),
        ("004.nucleus-renormalizes", "0.444 0.333 0.222; the top 2 0.571 0.429"),
        ("000.only-before", "0 of 66"),
        ("001.decoders-translate", "encoder True, decoder alone False"),
        ("004.empty-decoder", "attentions: 1"),
        ("004.most-probable", "least loss gives: 0.70, 0.30, 0.00"),
        ("001.recursive", "16 along the line, 4 along a tree of pairs"),
        ("001.layer-to-layer", "in 3 of 3 blocks"),
        ("001.read-out-in-layer", "inside 3 blocks: 0, behind them 1; matrices as wide as the vocabulary: 1"),
        ("001.english-to-swedish", "-> Dan älskar glass. Of 40 new sentences more than 8 in 10"),
        ("001.training-and-use", "a translation moves 0,"),
        ("002.rnn-gru-lstm", "RNN 144, GRU 432, LSTM 576"),
        ("002.bottleneck", "as one vector 16, 16; with attention 80, 320"),
        ("002.scores-at-once", "recurrent 5 and 10, Transformer 5 and 5"),
        ("002.cnn-style", "convolutions in the model: 0;"),
        ("002.encoder-fed-qkv", "block 1 is given (5, 12); 3 blocks hold 3 matrices of Q, K, V; equal pairs: 0"),
        ("002.passed-to-the-decoder", "for 3 of 3 blocks"),
        ("002.jane", "-> Jane visits Africa in September."),
        ("002.steptembre", "does not have 'on', 'steptembre'"),
        ("001.cls-in-all-tasks", "own state above 0.6, [CLS] near the share of the commonest"),
        ("001.cls-represents-all", "at 8 of 8 places"),
        ("001.cls-first", "[CLS] Returns the ... 9 tokens"),
        ("001.cls-alone", "5 states come out, 1 of them"),
        ("001.encoders-classify", "a text (3,), tags (6, 5), spans (6, 2)"),
        ("002.bidirectional", "encoder 36, decoder 21"),
        ("004.inference-models", "change: 6, a decoder's: 0"),
        ("001.t5-trained", "come out right: 5 of 5"),
        ("002.t5-title", "ahead in 5 of 5; Swedish beside others 0.80, for as much work 0.97"),
        ("003.adam-variance", "step 1 more than 100 times; at step 5 it is 0.3"),
        ("003.adam-variance-is-a-reason", "1.000 to 1.000 times the rate"),
        ("003.adaptive-optimizer", "alike, momentum under 1%, Adam under 1%; frequency 1/rank, 3% and under 1%"),
        ("002.in-parallel", "7 tokens: 1 to train on them, 7 to write them"),
        ("hu2022.merged-is-free", "merged or not: difference below 1e-10; same shapes: True"),
        ("carlini2019.copies-expose", "0, 1, 10 and 100 copies: 1.4, 1.6, 2.5, 9.5"),
        ("liu2025.one-divisor", "by its length 0%, by one number 94% (92 to 95)"),
    ],
)
def test_measured_as_on_paper(id: str, value: str) -> None:
    assert value in measured(id)


@pytest.mark.parametrize(
    ("id", "falls"), [("002.mimics-the-test", 0.02), ("004.contextual-representation", 0.02), ("004.both-inputs", 0.5)]
)
def test_the_translator_has_less_with_less(id: str, falls: float) -> None:
    """The first share is that with everything as it should be."""
    first, *others = map(float, re.findall(r"\d\.\d+", measured(id)))
    assert first > 0.9
    assert max(others) < first - falls


def test_the_translator_is_surprised_by_what_another_source_says() -> None:
    own, other = map(float, re.findall(r"\d+\.\d+", measured("004.source-may-help")))
    assert 3 * own < 1 < other


# --- every claim ---


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_claim_is_complete_and_its_measurement_repeats_itself(claim: Claim) -> None:
    assert claim.document in {"000", "001", "002", "003", "004"} or claim.document in cited_papers()
    for text in (claim.statement, claim.finding):
        assert text[0].isupper()
        assert text.endswith(".")
    text = measured(claim.id)
    assert text == claim.measure()
    assert 0 < len(text) <= 140
    assert "\n" not in text
    assert not {"nan", "inf"} & set(text.split()) or claim.id == "001.sign-of-infinity"
    assert set(re.findall(r"difference \S+", text)) <= {"difference below"}


def test_the_page_of_claims_has_every_topic() -> None:
    page = (chapters.ROOT / "book" / "claims.md").read_text(encoding="utf-8")
    topics = re.findall(r'markdown_table\("(\w+)"\)', page)
    assert sorted(topics) == sorted({claim.topic for claim in ledger()})


def test_each_claim_has_a_section_of_the_book() -> None:
    book = "".join(page.read_text(encoding="utf-8") for page in chapters.pages())
    labels = set(re.findall(r"^\(([\w-]+)\)=$", book, re.MULTILINE))
    assert {claim.section for claim in ledger()} <= labels


def test_ids_are_unique_and_the_ledger_is_sorted_by_document() -> None:
    assert len(CLAIMS) == len(ledger())
    for topic in (None, "attention", "tokenization"):
        documents = [claim.document for claim in ledger(topic)]
        assert documents == sorted(documents)


@pytest.mark.parametrize("topic", ["attention", "embeddings", "tokenization"])
def test_the_ledger_is_fair(topic: str) -> None:
    """It lists what the documents get right, too: each verdict is there."""
    verdicts = [claim.verdict for claim in ledger(topic)]
    assert all(verdicts.count(verdict) >= 3 for verdict in ("holds", "corrected", "depends"))


# --- how a claim is declared ---


def test_a_declared_claim_is_in_its_topic_with_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(declare.DECLARED, "sampling", [])

    def _some_thing() -> str:
        return "1"

    _some_thing.__module__ = "linebyline.claims.sampling"
    claim = declare.claim("003", "tail", "A statement.")(declare.depends("A finding.")(_some_thing))
    assert declare.DECLARED["sampling"] == ledger("sampling") == [claim]
    assert (claim.topic, claim.document, claim.anchor) == ("sampling", "003", "claim-003-some-thing")
    assert (claim.verdict, claim.finding) == ("depends", "A finding.")


# --- the table ---


def test_a_claim_of_a_paper_is_about_a_chapter_that_cites_it() -> None:
    papers = [claim for claim in ledger() if claim.of_paper]
    assert {claim.topic for claim in papers} == {"assistant", "lora", "preferences", "rewards", "evaluation"}
    for claim in papers:
        text = (chapters.ROOT / "book" / f"{claim.topic}.md").read_text(encoding="utf-8")
        assert re.search(rf"\{{cite:\w+\}}`[\w,]*{claim.document}", text), claim.id


def test_the_table_has_a_row_for_each_claim() -> None:
    header, rule, *rows = markdown_table("attention").splitlines()
    assert header == "| Document | Claim | Verdict | What we found | Measured in this build |"
    assert rule == "| --- | --- | --- | --- | --- |"
    for row, claim in zip(rows, ledger("attention"), strict=True):
        assert len(re.split(r"(?<!\\)\|", row)) == 7
        assert row.startswith(f"| {claim.document} | ")


def test_pipes_and_line_breaks_stay_inside_their_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim("000.x", "attention", "sec-masks", "|q| is\na length.", "holds", "Yes.", lambda: "|1| <eos> 1 < 2")
    monkeypatch.setitem(declare.DECLARED, "attention", [claim])
    row = markdown_table("attention").splitlines()[2]
    assert row == r"| 000 | \|q\| is a length. | *holds* | Yes. | \|1\| \<eos> 1 < 2 |"


# --- refusals ---


def test_an_unknown_topic_is_refused() -> None:
    topics = r"a_real_model, assistant, .*positional_encoding"
    with pytest.raises(ValueError, match=rf"^no topic 'tokens' in the ledger; there are {topics}"):
        ledger("tokens")
