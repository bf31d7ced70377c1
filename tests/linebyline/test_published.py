"""Folders in the published form: each is read here and by ``transformers``, and says the same as what was written."""

import json

import pytest
import torch
import transformers

from clearformer import load
from clearformer.checkpoints import open_checkpoint, save
from clearformer.cli.main import main
from linebyline import inspection, masked_language_model, pretrained, published

CLASSES = {
    "GPT-2": "GPT2LMHeadModel",
    "Llama": "LlamaForCausalLM",
    "BERT": "BertForMaskedLM",
    "RoBERTa": "RobertaForMaskedLM",
    "T5": "T5ForConditionalGeneration",
}


@pytest.mark.parametrize("kind", published.KINDS)
def test_a_folder_is_read_by_both_and_says_the_same(tmp_path, kind):
    made = published.write(kind, tmp_path)
    model, tokenizer = load(tmp_path)
    theirs = getattr(transformers, CLASSES[kind]).from_pretrained(tmp_path).eval()
    ids = torch.randint(5, 900, (2, 11), generator=torch.Generator().manual_seed(0))
    inputs = (ids, ids[:, :3]) if kind == "T5" else (ids,)
    names = ("input_ids", "decoder_input_ids")
    with torch.no_grad():
        expected = made.model.eval()(*inputs)
        torch.testing.assert_close(model.eval()(*inputs), expected, rtol=1e-4, atol=1e-4)
        given = theirs(**dict(zip(names, inputs, strict=False))).logits
        torch.testing.assert_close(given, expected, rtol=1e-3, atol=1e-3)
    text = "Dan loves ice cream ."
    assert tokenizer.encode(text) == made.tokenizer.encode(text)
    assert tokenizer.decode(tokenizer.encode("the sum of two numbers" if kind != "T5" else text)) != ""


def test_two_are_trained(tmp_path):
    made = {kind: published.write(kind, tmp_path / kind) for kind in published.KINDS}
    assert [kind for kind, each in made.items() if each.trained] == ["BERT", "T5"]


def test_the_tokenizer_of_bert_frames_as_the_course_does(tmp_path):
    published.write("BERT", tmp_path)
    tokenizer = open_checkpoint(tmp_path).tokenizer()
    kept = masked_language_model.masked_language_model()
    text = "Returns the [MASK] of an array."
    expected, _ = masked_language_model.sequence(kept.tokenizer, text, context=128)
    assert tokenizer.encode(text, add_special=True, allowed_special=tokenizer.special_tokens) == expected.tolist()


def test_the_folder_of_t5_translates_from_the_command_line(tmp_path, capsys):
    published.write("T5", tmp_path)
    main(["generate", str(tmp_path), "translate English to Swedish : Dan loves ice cream ."])
    assert capsys.readouterr().out.strip() == "Dan älskar glass ."


def test_a_word_that_the_vocabulary_of_t5_lacks_is_unknown(tmp_path):
    published.write("T5", tmp_path)
    tokenizer = open_checkpoint(tmp_path).tokenizer()
    assert tokenizer.encode("Dan flurb") == [*tokenizer.encode("Dan"), tokenizer.special_tokens["<extra_id_7>"]]


def test_the_language_model_has_no_published_form(tmp_path):
    kept = pretrained.language_model()
    with pytest.raises(ValueError, match=r"the model is not that of the config: embedding\.position\.table"):
        save(tmp_path, kept.model, kept.config)


def test_another_kind_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"kind='BART' is none of GPT-2, Llama, BERT, RoBERTa, T5"):
        published.write("BART", tmp_path)
    assert not any(tmp_path.iterdir())


def test_what_t5_is_told_about_its_start_is_read(tmp_path):
    published.write("T5", tmp_path)
    subject = inspection.load(tmp_path, "translate English to Swedish : Dan loves ice cream .")
    told = json.loads((tmp_path / "generation_config.json").read_text())
    assert subject.ids[0] == told["decoder_start_token_id"] and subject.ids[-1] == told["eos_token_id"]
    assert subject.strings(subject.ids[1:-1]) == ["Dan", "älskar", "glass", "."]
