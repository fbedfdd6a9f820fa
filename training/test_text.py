import numpy as np
import pytest

from prepare.sounds import pronounce
from prepare.text import Writer, normalize, read_sentences, split_sentences


@pytest.mark.parametrize(
    ("line", "language", "words"),
    [
        ("Mwarῖmῦ Njeri, nȋ MWEGA!", "ki", ["mwarĩmũ", "njeri", "nĩ", "mwega"]),
        ("thĩ-inĩ wa “mũcii”", "ki", ["thĩ", "inĩ", "wa", "mũcii"]),
        ("Chieng’ ng'ato 'dhok'", "luo", ["chieng'", "ng'ato", "dhok"]),
        ("café", "luo", ["cafe"]),
        ("Ng’ombe-dume, ‘sita’!", "sw", ["ng'ombe", "dume", "sita"]),
        ("CAFÉ हिन्दी", "hi", ["café", "हिन्दी"]),
    ],
)
def test_normalize_returns_words_in_one_spelling(line, language, words):
    assert normalize(line, language) == words


@pytest.mark.parametrize("line", ["mwaka wa 1994", "", " - ", "Москва"])
def test_normalize_refuses_digits_and_other_letters(line):
    assert normalize(line, "ki") is None


@pytest.mark.parametrize("line", ["mwaka wa 1994", "", " - "])
def test_normalize_of_a_language_without_rules_refuses_digits(line):
    assert normalize(line, "sw") is None


@pytest.mark.parametrize(
    ("word", "language", "sounds"),
    [
        ("ng'ombe", "ki", "N O m b E"),
        ("mũthenya", "ki", "m o D E J a"),
        ("njĩra", "ki", "n dZ e r a"),
        ("chieng'", "luo", "tS i e N"),
        ("dhok", "luo", "D o k"),
    ],
)
def test_pronounce_uses_the_longest_letters_with_a_rule(word, language, sounds):
    assert pronounce(word, language) == sounds.split()


def test_pronounce_names_a_letter_without_a_rule():
    with pytest.raises(ValueError, match="'kö' has a letter without a rule at position 1"):
        pronounce("kö", "luo")


def sentences_of(count):
    names = [first + second + third for first in "abdeg" for second in "abdeg" for third in "io"]
    return [[name, "kata", "mana", "gimoro", "amora", "e"] for name in names[:count]]


def test_split_sentences_keeps_held_out_sentences_out_of_training():
    sentences = sentences_of(40)
    training, held_out = split_sentences(sentences, sentences, [["dhok"]])
    assert ["dhok"] in held_out
    assert 1 < len(held_out) < 40
    assert not {" ".join(words) for words in training} & {" ".join(words) for words in held_out}
    assert len(training) + len(held_out) == 41


def test_split_sentences_does_not_depend_on_other_sentences():
    sentences = sentences_of(40)
    _, held_out = split_sentences(sentences, sentences, [])
    _, part = split_sentences(sentences[:20], sentences[:20], [])
    assert part == [words for words in held_out if words in sentences[:20]]


def test_read_sentences_leaves_out_duplicates(tmp_path):
    (tmp_path / "a.txt").write_text("Dhok!\ndhok\nnyako 3\n", encoding="utf-8")
    assert read_sentences([tmp_path / "a.txt"], "luo") == [["dhok"]]


def test_writer_invents_words_that_can_be_pronounced():
    sentences = [["mũndũ", "nĩ", "mwega", "mũno"], ["ng'ombe", "ĩrĩ", "mũgũnda", "inĩ"]]
    writer, random = Writer(sentences, real_share=0, invented_share=1), np.random.default_rng(1)
    words = {word for _ in range(50) for word in writer.write(random)}
    assert words - {word for words in sentences for word in words}
    assert all(pronounce(word, "ki") for word in words)


def test_writer_replaces_a_share_of_the_words_of_real_sentences():
    sentences = [["mũndũ", "mwega", "ngombe", "mũgũnda", "mũthenya", "gĩthomo", "nyũmba", "mũrutani"]]
    writer, random = Writer(sentences, real_share=1, replaced_share=0.5), np.random.default_rng(1)
    words = [word for _ in range(100) for word in writer.write(random)]
    assert 0.1 < sum(word not in sentences[0] for word in words) / len(words) < 0.5


def test_writer_takes_a_share_of_the_sentences_from_the_domain():
    domain, other = [["ndege"]], [["mũndũ"]]
    writer, random = Writer(domain + other * 99, real_share=1, domain=domain, domain_share=0.5), np.random.default_rng(1)
    texts = [" ".join(writer.write(random)) for _ in range(400)]
    assert 160 < texts.count("ndege") < 240


def test_writer_takes_parts_of_real_sentences():
    sentence = ["mũndũ", "nĩ", "mwega", "mũno"]
    writer, random = Writer([sentence], real_share=1), np.random.default_rng(1)
    texts = {" ".join(writer.write(random)) for _ in range(50)}
    assert len(texts) > 3
    assert all(text in " ".join(sentence) for text in texts)
