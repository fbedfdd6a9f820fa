"""Tests that a recipe can add a language with nothing but text, so that no tool contains the name of the language."""

import pathlib
import runpy
import subprocess
import sys

import pytest

from prepare.espeak import languages, written
from prepare.sounds import RULES
from prepare.text import normalize, split_sentences

FOLDER = pathlib.Path(__file__).parent
NUMBERS = runpy.run_path(str(FOLDER / "recipes/swahili-numbers/sentences.py"))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "sifuri"),
        (10, "kumi"),
        (11, "kumi na moja"),
        (100, "mia moja"),
        (245, "mia mbili na arobaini na tano"),
        (905, "mia tisa na tano"),
        (990, "mia tisa na tisini"),
    ],
)
def test_swahili_numbers_are_written_in_words(number, words):
    assert NUMBERS["number_words"](number) == words


def test_every_sentence_of_the_recipe_can_be_used():
    lines = NUMBERS["sentences"]()
    sentences = [normalize(line, "sw") for line in lines]
    assert [" ".join(words) for words in sentences] == lines
    known = {*NUMBERS["UNITS"], *NUMBERS["TENS"], "mia", "na"}
    assert {word for words in sentences for word in words} == known
    training, held_out = split_sentences(sentences, sentences, [])
    assert len(training) > 1000 and len(held_out) > 100


def test_espeak_reads_the_text_of_a_language_without_rules():
    assert "sw" in languages() and "sw" not in RULES
    assert written(["mia", "moja"], "sw") == "mia moja"
    assert written(["irio"], "ki") == "[[ir'iO]]"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--language", "xx"], "espeak-ng has no language xx. Its languages are: "),
        (["--language", "sw", "--evaluation", "other.txt"], "has no file other.txt: name the file of --evaluation"),
    ],
)
def test_prepare_refuses_arguments_that_it_cannot_use(tmp_path, arguments, message):
    command = [sys.executable, "-m", "prepare", tmp_path, tmp_path / "out", *arguments]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr.replace("\n", " ")
