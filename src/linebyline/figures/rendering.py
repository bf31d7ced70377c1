"""HTML of the figures and of the live models for the book's pages, from the templates beside this module."""

import json
import subprocess
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

from clearformer.tokenizers.pre_tokenization import words_and_punctuation

from .figure import COLORS
from .live import weights_script
from .live_assistant import MIME_TYPE as ASSISTANT
from .live_fill_in import MIME_TYPE as FILL_IN
from .live_model import MIME_TYPE as MODEL
from .live_model import SEED, settings
from .live_translator import MIME_TYPE as TRANSLATOR

COMPILER = Path(__file__).with_name("render_figure.mjs")
ROW, GAP = 28, 90  # pixels from word to word of an alignment, and between the two sentences
LETTER = 11  # pixels of a letter at most, on average
# The name, the label and the scripts of each live model, in the order in which they are loaded after those of all.
LIVE = {
    MODEL: ("live_model", "Live language model", "tokenizer decoding session widget"),
    TRANSLATOR: ("live_translator", "Live translator", "words encoder_decoder beam_search translation lines widget"),
    FILL_IN: ("live_fill_in", "Live fill-in", "word_piece masked_language_model fill_in widget"),
    ASSISTANT: ("live_assistant", "Live assistant", "asking widget"),
}
SHARED = ["live/loading", "live/layers", "live/widget", "live/attention_canvas", "live/attention_panel"]
SPACES = {ord(" "): "·", ord("\n"): "⏎", ord("\t"): "⇥", ord("\r"): "␍"}
# HTML cannot hold these characters, and a model may write them.
CONTROLS = {code: "\ufffd" for code in (*range(32), 127) if chr(code) not in "\t\n"}


def compile_figure(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Compile and draw a specification with Node.

    Returns:
        ``spec`` (compiled, without input bindings), ``controls`` (those bindings), ``table``, ``cells`` and ``svg``.

    Raises:
        RuntimeError: With the compiler's message, if the specification causes a warning or an error.
    """
    done = subprocess.run(["node", str(COMPILER)], input=json.dumps(spec), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the figure «{spec['description']}» does not compile:\n{done.stderr}")
    compiled: dict[str, Any] = json.loads(done.stdout)
    return compiled


def figure_html(spec: Mapping[str, Any], compiled: Mapping[str, Any], name: str) -> str:
    """HTML of one figure, complete without JavaScript except that its controls are disabled."""
    _, _, width, height = compiled["svg"].split('viewBox="', 1)[1].split('"', 1)[0].split()
    data = json.dumps({"spec": compiled["spec"], "table": compiled["table"]}, ensure_ascii=False)
    columns = len(compiled["table"].get("columns", ())) or 1
    rows = [compiled["cells"][i : i + columns] for i in range(0, len(compiled["cells"]), columns)]
    size = {"width": round(float(width)), "height": round(float(height))}
    texts = {"name": name, "description": spec["description"], "data": data.replace("<", "\\u003c")}
    parts = {key: compiled[key] for key in ("svg", "controls", "table")}
    meta = {"stops": {}, **spec.get("usermeta", {})}
    return _template("figure").render(meta=meta, rows=rows, **size, **texts, **parts)


def live_html(
    mime_type: str, page: Mapping[str, Any], weights: Mapping[str, Any], *, name: str, root: str, file: str
) -> str:
    """HTML of one live model: its description, what it makes of its first example, and its controls, which wait.

    The ids of its controls begin with ``name``; ``root`` is the path from the page to the folders of the scripts, such
    as ``"../"``, and ``file`` the address of the weights.
    """
    (kind, label, parts), model, opening = LIVE[mime_type], weights["model"], weights["opening"]
    script, key = weights_script(model)
    blocks = "live/decoder" if mime_type in (MODEL, ASSISTANT) else "live/post_norm"
    extra: dict[str, Any] = {}
    if mime_type == TRANSLATOR:
        extra = _alignment(opening)
    elif mime_type == MODEL:
        vocab_size = len(model["tokens"])
        stops = [k for k in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000) if k < vocab_size]
        tau, top_p = settings(page)
        extra = {"SEED": SEED, "TAU": tau, "TOP_P": top_p, "stops": [*stops, vocab_size]}
    scripts = [*SHARED, blocks, *(f"{kind}/{part}" for part in parts.split())]
    names = {"kind": kind.replace("_", "-"), "label": label, "file": file, "key": key, "name": name, "root": root}
    sizes = {"size": len(script), "sizes": model["sizes"]}
    return _template(kind).render(page=page, opening=opening, scripts=scripts, **names, **sizes, **extra)


@cache
def _template(name: str) -> Template:
    folder = FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8")
    environment = Environment(loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["shown"] = _shown
    environment.filters["without_controls"] = lambda text: text.translate(CONTROLS)
    environment.filters["split_at_hidden"] = _split_at_hidden
    return environment.get_template(f"{name}.html")


def _shown(token: str) -> str:
    """A token of bytes as a reader sees it: signs for spaces, and hexadecimal numbers where it is not text."""
    data = token.encode("latin-1")
    try:
        text = data.decode().translate(SPACES)
    except UnicodeDecodeError:
        return _hexadecimal(data)
    return "".join(_hexadecimal(c.encode()) if unicodedata.category(c).startswith("C") else c for c in text)


def _hexadecimal(data: bytes) -> str:
    return f"‹{data.hex(' ').upper()}›"


def _split_at_hidden(example: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The parts of a sentence, and which of them are hidden words."""
    text, end = example["text"], 0
    for place, word in enumerate(words_and_punctuation(text)):
        start = text.index(word, end)
        yield text[end:start], False
        end = start + len(word)
        yield word, place in example["hidden"]
    yield text[end:], False


def _alignment(opening: Mapping[str, Any]) -> dict[str, Any]:
    """Two sentences as columns, and a line for each visible weight, which is as opaque as the weight is large."""
    source: Sequence[str] = opening["source"]
    target: Sequence[str] = opening["target"]
    left, right = (LETTER * max(map(len, words)) for words in (source, target))
    lines = [
        (left + 4, _middle(s), left + GAP - 4, _middle(t), weight)
        for t, row in enumerate(opening["attention"])
        for s, weight in enumerate(row)
        if weight >= 0.005
    ]
    words = [(left, _middle(s), "end", word) for s, word in enumerate(source)]
    words += [(left + GAP, _middle(t), "start", word) for t, word in enumerate(target)]
    height = ROW * max(len(source), len(target))
    return {"width": left + GAP + right, "height": height, "lines": lines, "words": words, "accent": COLORS["accent"]}


def _middle(number: int) -> int:
    return ROW * number + ROW // 2
