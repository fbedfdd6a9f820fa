"""Finds the pieces of a model in the configuration and the tokenizer of a .nemo file."""

import sentencepiece

from importing.settings import lookup
from importing.source import Unsupported
from model.tokenizer import MARK

KEPT_AS = "nemo:"  # NeMo writes this before the names of files in the archive


def read_pieces(config, archive):
    """Returns the pieces in the order of their numbers, without the blank."""
    tokenizer = config.get("tokenizer")
    if not isinstance(tokenizer, dict):
        return _letters(config)
    kind = tokenizer.get("type", "bpe")
    if kind != "bpe":
        raise Unsupported(f"the tokenizer has the type {kind}, supported is bpe (SentencePiece) or letters")
    name = str(tokenizer.get("model_path") or "").removeprefix(KEPT_AS).rsplit("/", 1)[-1]
    files = [one for one in archive.members if one.endswith("tokenizer.model")]
    name = name if name in archive.members else next(iter(files), None)
    if name is None:
        raise Unsupported(f"{archive.path} has no tokenizer.model. Save the model again with model.save_to(FILE) in NeMo")
    try:
        loaded = sentencepiece.SentencePieceProcessor(model_proto=archive.read(name))
    except RuntimeError as error:
        raise Unsupported(f"{name} in {archive.path} is not a model of SentencePiece") from error
    return [loaded.id_to_piece(number) for number in range(loaded.get_piece_size())]


def _letters(config):
    """Returns the letters that are the pieces of a model without a tokenizer. A space becomes the mark for the start of
    a word.
    """
    for name in ("labels", "joint.vocabulary", "decoder.vocabulary"):
        found = lookup(config, name, None)
        if isinstance(found, list) and found and all(isinstance(one, str) and one for one in found):
            return [MARK if one == " " else one for one in found]
    raise Unsupported("model_config.yaml has neither a tokenizer nor labels, so the pieces of words are unknown")


def check_pieces(pieces, classes, where):
    if len(pieces) + 1 != classes:
        raise Unsupported(
            f"{where} has {len(pieces)} pieces, but the model has {classes} classes. There must be one more for the blank"
        )
    if bad := [piece for piece in pieces if "\n" in piece or not piece.strip()]:
        raise Unsupported(f"{where} has a piece that is empty or has several lines: {bad[0]!r}")
