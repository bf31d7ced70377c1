"""The library and its command work without the extras; what needs one says which."""

import subprocess
import sys

import pytest

from clearformer.cli.main import main
from tests.checkpoints import folders

EXTRAS = ("filelock", "gguf", "jinja2", "matplotlib", "tqdm", "transformers", "yaml")


@pytest.mark.parametrize(
    ("module", "missing", "arguments", "extra"),
    [
        ("clearformer.cli.chat", "jinja2", ["generate", "FOLDER", "Hi", "--chat"], r"clearformer[chat]"),
        ("clearformer.checkpoints.gguf_file", "gguf", ["info", "FOLDER/config.json"], r"clearformer[gguf]"),
    ],
)
def test_what_needs_an_extra_says_which(tmp_path, capsys, monkeypatch, module, missing, arguments, extra):
    folders.written(tmp_path, "gpt2")
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    assert main([each.replace("FOLDER", str(tmp_path)) for each in arguments]) == 1
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("clearformer:")]
    assert f"pip install '{extra}'" in line


def test_the_rest_needs_none(tmp_path):
    folders.written(tmp_path, "llama")
    code = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS})); from clearformer.cli.main import main; "
    code += (
        f"sys.exit(main(['--help']) or main(['info', {str(tmp_path)!r}]) or main(['generate', {str(tmp_path)!r}, 'a']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "tokens read in" in done.stderr and "grade" in done.stdout
