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
    """Execute the cells up to the exercises; what they printed, and the names that they left."""
    monkeypatch.setenv("CLEARFORMER_MODEL", str(path))
    monkeypatch.setenv("CLEARFORMER_TEXT", TEXT)
    matplotlib.use("agg")
    names = {}
    for cell in chapters.notebook(PAGE).cells:
        if "## Exercises" in cell.source:
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
    said = f"mine is not shown here: its ClassificationHead {KINDS[kind]}"
    assert (said in printed) == bool(KINDS[kind])
    assert (names["subject"] is names["ours"]) == bool(KINDS[kind])
    assert (names["copier"] is names["subject"]) == (kind in ("gpt2", "llama, shared keys, tied", "bert, classes"))
    blocks = len(names["copier"].stack.blocks)
    assert len(names["measured"][0]) == blocks and names["saves"].shape[1] == blocks
    assert "nats a token: ≈" in printed


def test_every_section_runs_on_a_gguf_file(tmp_path, monkeypatch, capsys):
    path = tmp_path / "mine.gguf"
    facts = spm_facts(TEXT * 20, 300)
    model = gguf_files.small_model("llama", vocab_size=len(facts["tokenizer.ggml.tokens"]))
    gguf_files.write(path, model, facts=facts)
    printed, names = run(monkeypatch, capsys, path)
    assert names["copier"] is names["subject"] is not names["ours"]
    assert "nats a token: ≈" in printed and len(names["choices"]) == len(names["subject"].stack.blocks) + 1
