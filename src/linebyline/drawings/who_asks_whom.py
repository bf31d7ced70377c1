"""Cross-attention is a layer of the decoder: the decoder asks, and the encoder answers."""

from .cross_attention import SOURCE, TARGET
from .kit import Canvas, Drawing

ASKED = 3  # words of the target so far
MIDDLE = 271  # of the decoder


def who_asks_whom() -> Drawing:
    """Draw that queries come from the decoder's own attention, and keys and values from the encoder."""
    canvas, source, target, word = Canvas(344), " ".join(SOURCE), " ".join(TARGET[:ASKED]), TARGET[ASKED]
    canvas.note(4, 20, " ".join(SOURCE[:3]), "")
    canvas.note(4, 37, " ".join(SOURCE[3:]), "")
    canvas.line((70, 43), (70, 48))
    canvas.box(4, 50, 132, 96, "encoder")
    canvas.box(12, 86, 116, 48, "attention", note="no causal mask", role="weight")
    canvas.note(MIDDLE, 20, target, "", "middle")
    canvas.line((MIDDLE, 28), (MIDDLE, 46))
    canvas.box(184, 50, 172, 230, "decoder")
    canvas.box(196, 86, 148, 48, "attention", note="with a causal mask", role="weight")
    canvas.line((MIDDLE, 136), (MIDDLE, 208), kind="query", width=2.5)
    canvas.text(MIDDLE + 12, 176, "queries", "query", "start")
    canvas.box(196, 213, 148, 52, "cross-attention", role="weight lit")
    canvas.line((96, 147), (96, 229), (191, 229), kind="key", width=2.5)
    canvas.line((40, 147), (40, 250), (191, 250), kind="value", width=2.5)
    canvas.text(140, 220, "keys", "key")
    canvas.text(128, 272, "values", "value")
    canvas.line((MIDDLE, 266), (MIDDLE, 306))
    canvas.note(226, 328, "next word:", "", "end")
    canvas.token(MIDDLE, 324, word, 70, "lit")
    return canvas.finish(
        "Who asks whom in cross-attention",
        f"The encoder reads the source, '{source}', by attention without a causal mask, and the decoder the target so"
        f" far, '{target}', with two layers."
        " The first is attention with a causal mask. It hands queries to the second, cross-attention, whose keys and"
        f" values come from the encoder. From its output comes the next word, '{word}'.",
    )
