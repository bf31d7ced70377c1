"""The chapter runs on whatever model a reader points it to: its cells are executed on a folder of each kind."""

from pathlib import Path

import chapters
import matplotlib
import matplotlib.pyplot as plt
import pytest

from clearformer.tokenizers import CharacterTokenizer
from tests.checkpoints import folders, gguf_files
from tests.checkpoints.test_gguf_tokenizer import spm_facts

PAGE = Path(__file__).parents[2] / "book" / "a_real_model.md"
TEXT = "a little text, and little by little more of it"
# Each: what guesses, and what is said where it does not.
KINDS = {
    "gpt2": "",
    "llama, shared keys, tied": "",
    "bert, hidden tokens": "",
    "bert, classes": "scores no tokens",
    "roberta": "",
    "t5": "",
    "t5, gated, untied": "",
}


def run(monkeypatch, capsys, path):
    """Execute the cells up to the claims; what they printed, and the names that they left."""
    monkeypatch.setenv("CLEARFORMER_MODEL", str(path))
    monkeypatch.setenv("CLEARFORMER_TEXT", TEXT)
    matplotlib.use("agg")
    names = {}
    for cell in chapters.notebook(PAGE).cells:
        if "sec-real-claims" in cell.source:
            break
        if cell.cell_type == "code":
            exec(compile(cell.source, str(PAGE), "exec"), names)
    plt.close("all")
    return capsys.readouterr().out, names


@pytest.mark.parametrize("kind", KINDS)
def test_every_section_runs_on_a_folder_that_transformers_wrote(tmp_path, monkeypatch, capsys, kind):
    folder = tmp_path / "mine"
    folders.written(folder, kind)
    special = ["[MASK]"] if kind.startswith("bert") else ["<s>", "<mask>"]
    CharacterTokenizer.train(TEXT, special_tokens=special).save(folder / "tokenizer.json")
    printed, names = run(monkeypatch, capsys, folder)
    assert list(names["subjects"]) == ["mine"]
    said = f"mine guesses nothing: its ClassificationHead {KINDS[kind]}"
    assert (said in printed) == bool(KINDS[kind])
    assert ("nats a token; unlearned" in printed) == (not KINDS[kind])
    assert ("mine: highest score" in printed) == (kind in ("gpt2", "llama, shared keys, tied"))
    assert "mine: most on itself" in printed and "directions, a random table" in printed


def test_every_section_runs_on_a_gguf_file(tmp_path, monkeypatch, capsys):
    path = tmp_path / "mine.gguf"
    facts = spm_facts(TEXT * 20, 300)
    model = gguf_files.small_model("llama", vocab_size=len(facts["tokenizer.ggml.tokens"]))
    gguf_files.write(path, model, facts=facts)
    printed, names = run(monkeypatch, capsys, path)
    assert list(names["subjects"]) == ["mine.gguf"]
    assert "mine.gguf: highest score" in printed and "settled after 0, 1, ... blocks" in printed
