"""Pieces of words (BPE). A piece with a smaller number was merged earlier, so the list of pieces is the whole model."""

import functools
import io

MARK = "▁"  # start of a word
UNKNOWN = "<unk>"
BLANK = "<blk>"


def learn_pieces(texts, count):
    """Returns a vocabulary of this size without the blank."""
    import sentencepiece  # only training a vocabulary needs it

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=model, vocab_size=count, model_type="bpe", character_coverage=1.0,
        bos_id=-1, eos_id=-1, unk_piece=UNKNOWN, minloglevel=2,
    )
    loaded = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [loaded.id_to_piece(number) for number in range(count)]


def read_tokens(path):
    """Pieces of tokens.txt without the blank."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pieces = [line.rsplit(" ", 1)[0] for line in lines if line]
    if not pieces or pieces[-1] != BLANK:
        raise ValueError(f"the last line of {path} is not {BLANK}")
    return pieces[:-1]


def write_tokens(path, pieces):
    path.write_text("".join(f"{piece} {number}\n" for number, piece in enumerate([*pieces, BLANK])), encoding="utf-8")


class Tokenizer:
    def __init__(self, pieces):
        self.pieces = list(pieces)
        self.numbers = {piece: number for number, piece in enumerate(self.pieces)}
        self.encode_word = functools.lru_cache(maxsize=200_000)(self._encode_word)

    def encode(self, text):
        return [number for word in text.split() for number in self.encode_word(word)]

    def _encode_word(self, word):
        parts = [MARK, *word]
        while len(parts) > 1:
            pairs = [self.numbers.get(a + b, len(self.pieces)) for a, b in zip(parts, parts[1:])]
            best = min(pairs)
            if best == len(self.pieces):
                break
            at = pairs.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return tuple(self.numbers.get(part, 0) for part in parts)

    def decode(self, numbers):
        return "".join(self.pieces[number] for number in numbers if number != 0).replace(MARK, " ").strip()


def best_path(numbers, blank):
    """Greedy CTC search over the best class of each frame."""
    return [number for number, before in zip(numbers, [blank, *numbers]) if number != before and number != blank]
