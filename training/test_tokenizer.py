import numpy as np
import pytest

from model.tokenizer import MARK, Tokenizer, learn_pieces, split_syllables

TEXTS = ["mũndũ nĩ mwega mũno", "ng'ombe ĩrĩ mũgũnda inĩ", "mũthenya ũyũ nĩ mwega", "nyũmba ya mũndũ nĩ nene"] * 5


@pytest.mark.parametrize(
    ("word", "syllables"),
    [
        ("mũthenya", ["mũ", "the", "nya"]),
        ("ng'ombe", ["ng'o", "mbe"]),
        ("kuoma", ["kuo", "ma"]),
        ("mang'eny", ["ma", "ng'eny"]),
        ("dhok", ["dhok"]),
        ("nth", ["nth"]),
        ("हिन्दी", ["हिन्दी"]),
    ],
)
def test_split_syllables_cuts_before_the_consonants_of_a_vowel(word, syllables):
    assert split_syllables(word) == syllables


def test_learned_pieces_do_not_cross_the_borders_of_syllables():
    pieces = learn_pieces(TEXTS, 50, syllables=True)
    assert any(len(piece.removeprefix(MARK)) > 2 for piece in pieces[1:])
    assert all(len(split_syllables(piece.removeprefix(MARK))) == 1 for piece in pieces[1:])


def test_learned_pieces_cross_syllables_without_the_option_syllables():
    assert f"{MARK}mũndũ" in learn_pieces(TEXTS, 70)


def test_a_vocabulary_with_pieces_across_syllables_is_used_as_it_is():
    pieces = ["<unk>", "ma", "na", "mana", f"{MARK}mana", MARK, *"man"]
    tokenizer = Tokenizer(pieces)
    assert [pieces[number] for number in tokenizer.encode("mana")] == [f"{MARK}mana"]


def test_dropped_merges_give_smaller_pieces_of_the_same_text():
    tokenizer, random = Tokenizer(learn_pieces(TEXTS, 50, syllables=True)), np.random.default_rng(1)
    whole, broken = tokenizer.encode(TEXTS[0]), tokenizer.encode(TEXTS[0], random, 0.5)
    assert len(broken) > len(whole)
    assert tokenizer.decode(broken) == tokenizer.decode(whole) == TEXTS[0]
    assert tokenizer.encode(TEXTS[0], random, 0.0) == whole
