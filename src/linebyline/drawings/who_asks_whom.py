"""Cross-attention between an encoder and a decoder: one side asks, the other answers."""

from .cross_attention import SOURCE, TARGET
from .kit import Canvas, Drawing

ASKED = 3  # words of the target so far


def who_asks_whom() -> Drawing:
    """Draw that queries come from the decoder, and keys and values from the encoder."""
    canvas, source, target = Canvas(262), " ".join(SOURCE), " ".join(TARGET[:ASKED])
    canvas.note(4, 20, source, "")
    canvas.line((66, 28), (66, 46))
    canvas.box(4, 50, 124, 50, "encoder", note="reads the source")
    canvas.box(4, 166, 124, 50, "decoder", note="writes the target")
    canvas.line((66, 236), (66, 220))
    canvas.note(4, 252, target, "")
    canvas.box(206, 112, 150, 44, "cross-attention", role="weight lit")
    canvas.line((128, 64), (322, 64), (322, 108), kind="key", width=2.5)
    canvas.line((128, 86), (248, 86), (248, 108), kind="value", width=2.5)
    canvas.line((128, 191), (281, 191), (281, 160), kind="query", width=2.5)
    canvas.text(225, 57, "keys", "key")
    canvas.text(188, 106, "values", "value")
    canvas.text(204, 184, "queries", "query")
    return canvas.finish(
        "Who asks whom in cross-attention",
        f"The encoder reads the source, '{source}', and the decoder the target so far, '{target}'. Three arrows lead to"
        " cross-attention: queries from the decoder, keys and values from the encoder.",
    )
