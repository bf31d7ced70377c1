"""tokenization.wordpiece: what becomes of a word whose longest known beginning leads nowhere."""

from clearformer.tokenizers import WordPieceTokenizer
from linebyline.exercises.core import Pick, Rng

WORD, PIECES = "unable", ("un", "una", "##able", "##le")
OPTIONS = ("un ##able", "una ##le", "una [UNK]", "[UNK]")


def _cut(rng: Rng) -> str:
    """Cut the word; the ids of the pieces do not matter, so they are drawn."""
    vocab = {piece: i for i, piece in enumerate(rng.permutation(PIECES).tolist(), start=1)}
    names = ["[UNK]", *vocab]
    return " ".join(names[i] for i in WordPieceTokenizer(vocab, {"[UNK]": 0}).encode(WORD))


EXERCISE = Pick(
    id="tokenization.wordpiece",
    title="The longest match first",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="pen and paper",
    asks="the pieces of unable",
    options=OPTIONS,
    compute=_cut,
    wrong_answers={
        "These two would spell it. Which piece comes first, though, if the longest known one is taken?": OPTIONS[0],
        "Written together they lack a letter, and none may be skipped.": OPTIONS[1],
        "The beginning is right. What does the chapter say becomes of a word that cannot be finished?": OPTIONS[2],
    },
)
