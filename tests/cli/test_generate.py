"""``clearformer generate``: what it prints is what the decoding functions find, and how it ends."""

import os
import re
import signal
import subprocess
import sys

import pytest
import torch

from clearformer import load
from clearformer.checkpoints import open_checkpoint
from clearformer.checkpoints.gguf_tokenizer import tokenizer as from_facts
from clearformer.cli.main import main
from clearformer.decoding import beam_search, greedy_search, pipeline, sample
from clearformer.models import CachedDecoder
from tests.checkpoints import folders, gguf_files
from tests.checkpoints.test_gguf_tokenizer import TEXT, byte_level_facts, spm_facts
from tests.tokenizers import published

PROMPT = "The class"


BEGIN, END = "<|begin_of_text|>", "<|eot_id|>"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    peer = published.llama_3(TEXT)
    ends = {"bos_token_id": peer.token_to_id(BEGIN), "eos_token_id": peer.token_to_id(END)}
    facts = byte_level_facts(peer, "llama-bpe", **ends)
    facts["tokenizer.chat_template"] = "{{ bos_token }}[{{ messages[0].content }}]"
    file = tmp_path_factory.mktemp("gguf") / "a.gguf"
    model = gguf_files.small_model("llama", vocab_size=peer.get_vocab_size(), max_position_embeddings=64)
    gguf_files.write(file, model, facts=facts)
    return str(file)


@pytest.fixture(scope="module")
def loaded(path):
    return load(path)


def run(capsys, *arguments, status=0):
    assert main(["generate", *map(str, arguments)]) == status
    return capsys.readouterr()


def written(tokenizer, before, ids):
    """The text that ids add to those before them, without special tokens."""
    special = set(tokenizer.special_tokens.values())
    before, ids = ([i for i in each if i not in special] for each in (before, ids))
    return tokenizer.decode([*before, *ids])[len(tokenizer.decode(before)) :]


@pytest.mark.parametrize(
    ("options", "settings", "seed"),
    [
        ([], {}, None),
        (["--temperature", 0], {}, None),
        (["--presence-penalty", 9], {"presence": 9.0}, None),
        (["--repetition-penalty", 3, "--frequency-penalty", 1], {"repetition": 3.0, "frequency": 1.0}, None),
        (
            ["--temperature", 0.9, "--top-k", 50, "--top-p", 0.9, "--min-p", 0.01, "--seed", 3],
            {"tau": 0.9, "k": 50, "p": 0.9, "min_p": 0.01},
            3,
        ),
        (["--top-k", 9], {"k": 9}, 0),
        (["--top-p", 0.5], {"p": 0.5}, 0),
        (["--min-p", 0.5], {"min_p": 0.5}, 0),
    ],
)
def test_what_is_printed_is_what_decoding_finds(path, loaded, capsys, options, settings, seed):
    model, tokenizer = loaded
    ids = tokenizer.encode(PROMPT, add_special=True)
    assert ids[0] == tokenizer.special_tokens[BEGIN]
    common = {"stop_ids": [tokenizer.special_tokens[END]], "processor": pipeline(**settings)}
    if seed is None:
        (tokens,) = greedy_search(CachedDecoder(model), [ids], 20, **common)
    else:
        generator = torch.Generator().manual_seed(seed)
        (tokens,) = sample(CachedDecoder(model), [ids], 20, generator=generator, **common)
    printed = run(capsys, path, PROMPT, "--max-new-tokens", 20, *options).out
    assert printed == f"{written(tokenizer, ids, tokens)}\n"


def test_beams_print_the_best_one(path, loaded, capsys):
    model, tokenizer = loaded
    ids, ends = tokenizer.encode(PROMPT, add_special=True), [tokenizer.special_tokens[END]]
    best = beam_search(CachedDecoder(model), ids, 20, n_beams=3, length_penalty=0.5, stop_ids=ends)[0].tokens
    printed = run(capsys, path, PROMPT, "--max-new-tokens", 20, "--beams", 3, "--length-penalty", 0.5).out
    assert printed == f"{written(tokenizer, ids, best)}\n"


def test_a_stop_ends_the_text(path, capsys):
    whole = run(capsys, path, PROMPT, "--max-new-tokens", 20).out
    stop = whole[6:9]
    cut = run(capsys, path, PROMPT, "--max-new-tokens", 20, "--stop", "never there", "--stop", stop).out
    assert cut == whole[: whole.index(stop)] + "\n"


def test_a_chat_is_put_into_its_template(path, loaded, capsys):
    model, tokenizer = loaded
    ids = tokenizer.encode(f"{BEGIN}[{PROMPT}]", allowed_special=tokenizer.special_tokens)
    assert ids[0] == tokenizer.special_tokens[BEGIN]
    tokens = greedy_search(CachedDecoder(model), [ids], 9, stop_ids=[tokenizer.special_tokens[END]])[0]
    printed = run(capsys, path, PROMPT, "--chat", "--max-new-tokens", 9).out
    assert printed == f"{written(tokenizer, ids, tokens)}\n"


def test_the_token_that_ends_a_text_is_not_shown(path, loaded, capsys, monkeypatch):
    _, tokenizer = loaded
    tokens = [*tokenizer.encode("one two"), tokenizer.special_tokens[END]]
    monkeypatch.setattr("clearformer.cli.generate.stream", lambda *_, stop_ids, **__: torch.tensor(tokens)[:, None])
    assert run(capsys, path, PROMPT).out == "one two\n"


def test_weights_are_as_asked_for(path, capsys):
    options = (path, PROMPT, "--max-new-tokens", 20)
    assert run(capsys, *options, "--dtype", "float32").out == run(capsys, *options).out
    assert run(capsys, *options, "--dtype", "float16").out
    assert run(capsys, *options, "--dtype", "int8").out


def test_a_blank_between_prompt_and_text_is_kept(tmp_path, capsys, monkeypatch):
    facts = spm_facts("a cat sat on a mat", 300)
    n = len(facts["tokenizer.ggml.tokens"])
    model = gguf_files.small_model("llama", vocab_size=n, num_hidden_layers=1)
    gguf_files.write(tmp_path / "a.gguf", model, facts=facts)
    tokens = from_facts(facts).encode("on a mat")
    monkeypatch.setattr("clearformer.cli.generate.stream", lambda *_, **__: torch.tensor(tokens)[:, None])
    assert run(capsys, tmp_path / "a.gguf", "a cat sat").out == " on a mat\n"


def test_what_ends_a_text_stands_in_a_file_of_its_own(tmp_path):
    folders.written(tmp_path, "llama")
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [5, 7]}')
    assert open_checkpoint(tmp_path).generation()["eos_token_id"] == [5, 7]
    assert open_checkpoint(tmp_path).generation()["model_type"] == "llama"


def test_a_model_that_reads_a_source_writes_from_it(tmp_path, capsys):
    folders.written(tmp_path, "t5")
    model, tokenizer = load(tmp_path)
    with torch.inference_mode():
        sources = model.encode(torch.tensor([tokenizer.encode("a little")]))
    tokens = greedy_search(CachedDecoder(model.decoder, sources), [[0]], 6, stop_ids=[1])[0]
    printed = run(capsys, tmp_path, "a little", "--max-new-tokens", 6).out
    assert printed == tokenizer.decode([i for i in tokens if i != 1]) + "\n"


def test_the_places_of_a_model_are_not_left(path, capsys):
    run(capsys, path, PROMPT, "--max-new-tokens", 1000)
    error = run(capsys, path, 100 * "word ", status=1).err
    assert re.search(r"a prompt has \d+ tokens, and the context of the model is 64", error)


def test_the_speed_is_told(path, capsys):
    error = run(capsys, path, PROMPT, "--max-new-tokens", 9).err
    assert re.fullmatch(r"[\d,]+ tokens read in [\d.]+ s, then [\d,.]+ tokens a second\n", error)
    error = run(capsys, path, PROMPT, "--max-new-tokens", 9, "--beams", 2).err
    assert re.fullmatch(r"[\d,]+ tokens read and 9 searched in [\d.]+ s\n", error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--beams", 0], "--beams 0 must be at least 1"),
        (["--beams", 2, "--top-k", 3], "--beams searches, and takes no --top-k"),
        (["--beams", 2, "--presence-penalty", 3], "--beams searches, and takes no --presence-penalty"),
        (["--top-p", 3], "p=3.0 must be above 0 and at most 1"),
        (["--temperature", -1], "tau=-1.0 must be a positive, finite number"),
        (["--max-new-tokens", 0], "max_new_tokens=0 must be at least 1"),
        (["--stop", ""], "a stop text must not be empty"),
    ],
)
def test_wrong_settings_are_refused(path, capsys, options, message):
    printed = run(capsys, path, PROMPT, *options, status=1)
    assert printed.err.startswith(f"clearformer: {message}")
    assert printed.out == ""
    assert len(printed.err.splitlines()) <= 2


def test_what_cannot_write_is_refused(tmp_path, capsys):
    folders.written(tmp_path, "bert")
    assert "an Encoder cannot generate text" in run(capsys, tmp_path, "a text", status=1).err
    assert "has no chat template" in run(capsys, tmp_path, "a text", "--chat", status=1).err
    (tmp_path / "config.json").write_text("{")
    assert "config.json is not JSON" in run(capsys, tmp_path, "a text", status=1).err


def test_wrong_arguments_are_one_line(capsys):
    assert main(["generate"]) == 2
    assert main(["invent", "a"]) == 2
    assert all("--help" in line for line in capsys.readouterr().err.splitlines())
    assert main(["--help"]) == 0
    assert main(["generate", "--help"]) == 0
    assert "--temperature" in capsys.readouterr().out


def test_interruption_is_quiet(path, capsys, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("clearformer.cli.generate.stream", interrupted)
    assert main(["generate", path, PROMPT]) == 130
    assert capsys.readouterr().err == ""


def process(*arguments, **options):
    command = [sys.executable, "-m", "clearformer", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_the_module_is_the_command_and_a_closed_pipe_is_quiet(path):
    with process("info", path) as running:
        assert running.stdout.readline().endswith("a.gguf: Llama\n")
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="a signal of Unix")
def test_a_signal_ends_it_with_130(path):
    with process("generate", path, PROMPT, "--max-new-tokens", "60") as running:
        assert running.stdout.read(1)
        running.send_signal(signal.SIGINT)
        _, error = running.communicate(timeout=60)
    assert "Traceback" not in error
    assert running.returncode in (130, 0)  # it may have been at the end


def test_help_waits_for_no_library():
    code = "import sys; from clearformer.cli.main import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "usage: clearformer" in done.stdout
    assert not {"torch", "numpy", "gguf", "jinja2"} & set(done.stderr.split())
