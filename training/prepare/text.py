"""Prepares the text for synthesis. Normalizes sentences, holds some of them out for evaluation, and writes new
sentences from the words of the remaining sentences.
"""

import re
import unicodedata
import zlib
from collections import Counter, defaultdict

import numpy as np

from model.tokenizer import split_syllables
from prepare.sounds import RULES, alphabet

# File of sentences for evaluation, by default.
EVALUATION = "sib200_flores.txt"
# Variants of ĩ, ũ and the apostrophe that occur in texts. Each variant is replaced by the normal character.
_SPELLINGS = {"ŭ": "ũ", "ȋ": "ĩ", "ῦ": "ũ", "ῖ": "ĩ", "ǐ": "ĩ", "ǔ": "ũ", "î": "ĩ", "û": "ũ", "’": "'", "‘": "'", "`": "'"}
# On average, one of HELD_OUT_SHARE long candidates is held out of the training.
HELD_OUT_SHARE = 4
_SHORTEST_HELD_OUT = 6  # words
_MOST_WORDS = 18
# Numbers of preceding letters that determine the next letter of an invented word. With the smaller number, the words
# resemble foreign names.
_ORDERS = (3, 2)
_JOINED_SHARE = 0.5  # share of invented words that join parts of two real words
_LONGEST_INVENTED = 16  # letters


def normalize(line, language):
    """Returns the words of a line in lower case. Returns None if the line has no words or contains a digit. For a
    language with rules, also returns None if a letter is not in the alphabet even without its accent.
    """
    line = unicodedata.normalize("NFC", line.strip().lower())
    if language not in RULES:
        return _words_of_any_script(line)
    line = "".join(_SPELLINGS.get(letter, letter) for letter in line)
    allowed = alphabet(language)
    line = "".join(letter if letter in allowed else _without_accent(letter) for letter in line)
    words = [word.strip("'") if word.strip("'") != "ng" else word for word in re.sub(r"[^\w']|_", " ", line).split()]
    # An apostrophe is removed unless it is part of the letters ng'.
    words = [re.sub(r"(?<!ng)'", "", word + "'" * _ends_in_apostrophe(word, line)) for word in words]
    words = [word for word in words if word]
    return words if words and all(set(word) <= allowed for word in words) else None


def _words_of_any_script(line):
    """Returns the words of a line in a language without an entry in RULES. Apostrophes and marks within words are kept.
    """
    kinds = [unicodedata.category(letter)[0] for letter in line]
    line = "".join("'" if letter in "'’‘`" else letter if kind in "LMN" else " " for letter, kind in zip(line, kinds))
    words = [word.strip("'") for word in line.split() if word.strip("'")]
    return words if words and "N" not in kinds else None


def _ends_in_apostrophe(word, line):
    return word.endswith("ng") and re.search(rf"\b{re.escape(word)}'(?!\w)", line) is not None


def _without_accent(letter):
    return unicodedata.normalize("NFD", letter)[0]


def read_sentences(paths, language):
    """Returns the sentences of text files without duplicates, in the order of the files."""
    found = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            words = normalize(line, language)
            if words is not None:
                found.setdefault(" ".join(words), words)
    return list(found.values())


def split_sentences(sentences, candidates, known):
    """Returns (training, held out). The held-out sentences are the known texts, and a share of the long candidates that
    a hash of the text selects.
    """
    held = {" ".join(words) for words in known}
    for words in candidates:
        text = " ".join(words)
        if len(words) >= _SHORTEST_HELD_OUT and zlib.crc32(text.encode()) % HELD_OUT_SHARE == 0:
            held.add(text)
    training = [words for words in sentences if " ".join(words) not in held]
    return training, [text.split() for text in sorted(held)]


class Writer:
    """Writes sentences of two kinds: parts of real sentences, and sequences of random words.

    Invented words replace a share of the words: `replaced_share` in real sentences, and `invented_share` in sequences
    of random words. A language with little text needs invented words. Without them, a model would learn whole words
    instead of letters.
    """

    def __init__(
        self, sentences, real_share=0.5, invented_share=0.15, domain=(), domain_share=0.0, replaced_share=0.0
    ):
        self.sentences, self.real_share, self.invented_share = sentences, real_share, invented_share
        self.domain, self.domain_share = list(domain), domain_share if domain else 0.0
        self.replaced_share = replaced_share
        counts = Counter(word for words in sentences for word in words)
        self.words = list(counts)
        weights = np.sqrt(np.array([counts[word] for word in self.words]))
        self.weights = np.cumsum(weights / weights.sum())
        self.following = {order: defaultdict(list) for order in _ORDERS}
        for order, following in self.following.items():
            for word in self.words:
                padded = "^" * order + word + "$"
                for at in range(order, len(padded)):
                    following[padded[at - order : at]].append(padded[at])

    def write(self, random):
        count = int(random.integers(1, _MOST_WORDS + 1))
        if random.random() < self.real_share:
            sentences = self.domain if random.random() < self.domain_share else self.sentences
            words = sentences[random.integers(len(sentences))]
            start = int(random.integers(max(1, len(words) - count + 1)))
            return [self._invent(random) if random.random() < self.replaced_share else w for w in words[start : start + count]]
        return [self._invent(random) if random.random() < self.invented_share else self._draw(random) for _ in range(count)]

    def _draw(self, random):
        return self.words[min(int(np.searchsorted(self.weights, random.random())), len(self.words) - 1)]

    def _invent(self, random):
        word = self._join(random) if random.random() < _JOINED_SHARE else self._spell(random)
        return word if 0 < len(word) <= _LONGEST_INVENTED else self._draw(random)

    def _join(self, random):
        """Returns the first syllables of one word joined with the last syllables of another word. Returns an empty text
        if a word has only one syllable.
        """
        first, last = (split_syllables(self.words[random.integers(len(self.words))]) for _ in range(2))
        if len(first) < 2 or len(last) < 2:
            return ""
        return "".join(first[: random.integers(1, len(first))] + last[random.integers(1, len(last)) :])

    def _spell(self, random):
        order = _ORDERS[random.integers(len(_ORDERS))]
        letters, following = "^" * order, self.following[order]
        while len(letters) <= order + _LONGEST_INVENTED:
            options = following[letters[-order:]]
            letter = options[random.integers(len(options))]
            if letter == "$":
                break
            letters += letter
        return re.sub(r"(?<!ng)'", "", letters[order:])
