"""Splits words into pieces (BPE). Pieces with smaller numbers are merged first. The ordered list of pieces therefore
contains all that the tokenizer needs.

If no piece crosses the border of two syllables, a syllable has the same pieces in every word. A model can then spell
words that do not occur in its training data.
"""

import functools
import io
import unicodedata

MARK = "▁"  # start of a word
UNKNOWN = "<unk>"
BLANK = "<blk>"
_BORDER = "|"


def split_syllables(word):
    """Splits a word into syllables. A syllable consists of consonants and the vowels after them. Consonants at the end
    of the word belong to the last syllable.
    """
    parts, was_vowel = [""], False
    for letter in word:
        vowel = unicodedata.normalize("NFD", letter)[0] in "aeiou"
        if was_vowel and not vowel:
            parts.append("")
        parts[-1] += letter
        was_vowel = vowel
    if len(parts) > 1 and not was_vowel:
        parts[-2:] = ["".join(parts[-2:])]
    return parts


def learn_pieces(texts, count, syllables=False):
    """Returns a vocabulary of this size without the blank. With `syllables`, no piece crosses the border of two syllables."""
    import sentencepiece  # only training a vocabulary needs it

    model, split = io.BytesIO(), split_syllables if syllables else lambda word: [word]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(" ".join(_BORDER.join(split(word)) for word in text.split()) for text in texts),
        pretokenization_delimiter=_BORDER, model_writer=model, vocab_size=count, model_type="bpe", character_coverage=1.0,
        bos_id=-1, eos_id=-1, unk_piece=UNKNOWN, minloglevel=2,
    )
    loaded = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [loaded.id_to_piece(number) for number in range(count)]


def read_tokens(path):
    """Returns the pieces in tokens.txt without the blank."""
    pieces = []
    for line in filter(None, path.read_text(encoding="utf-8").split("\n")):
        # The number is after the last space, because a piece can contain spaces.
        piece, _, number = line.rpartition(" ")
        if not piece or number != str(len(pieces)):
            raise ValueError(f"{path} has the line `{line[:40]}` instead of `piece {len(pieces)}`")
        pieces.append(piece)
    if not pieces or pieces[-1] != BLANK:
        raise ValueError(f"the last line of {path} is not {BLANK}")
    return pieces[:-1]


def write_tokens(path, pieces):
    path.write_text("".join(f"{piece} {number}\n" for number, piece in enumerate([*pieces, BLANK])), encoding="utf-8")


class Tokenizer:
    def __init__(self, pieces):
        self.pieces = list(pieces)
        self.numbers = {piece: number for number, piece in enumerate(self.pieces)}
        self.by_syllables = all(len(split_syllables(piece.removeprefix(MARK))) == 1 for piece in self.pieces[1:])
        self.encode_word = functools.lru_cache(maxsize=200_000)(self._encode_word)

    def encode(self, text, random=None, dropped=0.0):
        """Returns the numbers of the pieces of a text. With `random`, each merge is skipped with the probability
        `dropped` (BPE dropout).
        """
        if random is None or dropped == 0:
            return [number for word in text.split() for number in self.encode_word(word)]
        return [number for word in text.split() for number in self._encode_word(word, random, dropped)]

    def _encode_word(self, word, random=None, dropped=0.0):
        parts = split_syllables(word) if self.by_syllables else [word]
        numbers = []
        for at, part in enumerate(parts):
            numbers += self._merge([MARK, *part] if at == 0 else list(part), random, dropped)
        return tuple(numbers)

    def _merge(self, parts, random, dropped):
        none = len(self.pieces)
        while len(parts) > 1:
            pairs = [self.numbers.get(a + b, none) for a, b in zip(parts, parts[1:])]
            if random is not None:
                pairs = [none if random.random() < dropped else pair for pair in pairs]
            best = min(pairs)
            if best == none:
                break
            at = pairs.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self.numbers.get(part, 0) for part in parts]

    def decode(self, numbers):
        return "".join(self.pieces[number] for number in numbers if number != 0).replace(MARK, " ").strip()


def best_path(numbers, blank):
    """Returns the pieces that a greedy CTC search finds. `numbers` contains the best class of each frame."""
    return [number for number, before in zip(numbers, [blank, *numbers]) if number != before and number != blank]
