"""GPT-2's alphabet of bytes."""

from tokenizers import pre_tokenizers

from clearformer.tokenizers.byte_alphabet import spell, unspell


def test_characters_equal_hugging_face() -> None:
    assert sorted(spell(bytes(range(256)))) == sorted(pre_tokenizers.ByteLevel.alphabet())


def test_unspell_undoes_spell() -> None:
    assert unspell(spell(bytes(range(256)))) == bytes(range(256))
