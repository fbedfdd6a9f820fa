"""python -m train OUT DATA...: trains a recognizer on NeMo manifests, or on folders that prepare has written.

OUT receives log.jsonl and model.pt with averaged weights, which is saved repeatedly. If DATA is a folder, manifests can
be added to it during the training.
"""

import argparse
import json
import pathlib

import torch

from model.recognizer import Recognizer, Settings, load
from model.tokenizer import Tokenizer, learn_pieces, read_tokens
from train.data import find_manifests, read_manifest
from train.loop import Plan, train

_SIZES = ("layers", "width", "heads", "channels", "mels")


def pieces_of(options, manifests):
    """Returns the vocabulary of --tokens, or learns a new vocabulary from the texts."""
    if options.tokens is not None:
        return read_tokens(options.tokens)
    if options.text is not None:
        texts = json.loads(options.text.read_text(encoding="utf-8"))["training"]
    else:
        texts = [entry["text"] for path in manifests for entry in read_manifest(path)]
    return learn_pieces(texts, options.vocabulary, options.syllables)


def new_model(options, manifests):
    """Creates a model with the vocabulary of `pieces_of`. The encoder has random weights, or the weights of a
    checkpoint.
    """
    pieces, heads = pieces_of(options, manifests), {"dropout": options.dropout, "transducer": options.transducer}
    if options.encoder_from is None:
        return Recognizer(Settings(pieces=pieces, **{name: getattr(options, name) for name in _SIZES}, **heads))
    source = load(options.encoder_from)
    sizes = {name: getattr(source.settings, name) for name in (*_SIZES, "contexts")}
    model = Recognizer(Settings(pieces=pieces, **sizes, **heads))
    model.encoder.load_state_dict(source.encoder.state_dict())
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("data", nargs="+")
    size = parser.add_argument_group("model")
    for name in _SIZES:
        size.add_argument(f"--{name}", type=int, default=getattr(Settings(), name))
    size.add_argument("--dropout", type=float, default=Settings().dropout)
    size.add_argument("--transducer", action="store_true", help="train a transducer head too")
    size.add_argument("--tokens", type=pathlib.Path, help="tokens.txt with the vocabulary")
    size.add_argument("--text", type=pathlib.Path, help="text.json of prepare, to learn a vocabulary from")
    size.add_argument("--vocabulary", type=int, default=1024, help="pieces of a new vocabulary")
    size.add_argument("--syllables", action="store_true", help="pieces of a new vocabulary do not cross syllables")
    start = size.add_mutually_exclusive_group()
    start.add_argument("--start-from", type=pathlib.Path, help="checkpoint to fine-tune. Sizes and vocabulary are its own")
    start.add_argument("--encoder-from", type=pathlib.Path, help="checkpoint of another language. Sizes and encoder are its own")
    plan = parser.add_argument_group("plan")
    plan.add_argument("--steps", type=int, help="length of the training. The other way is --minutes")
    plan.add_argument("--minutes", type=float)
    for name, value in Plan.numbers().items():
        plan.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    plan.add_argument("--without", nargs="*", default=[], help="families of voices to leave out")
    plan.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    if (options.steps is None) == (options.minutes is None):
        parser.error("give either --steps or --minutes")
    try:
        manifests = find_manifests(options.data)
    except ValueError as error:
        parser.error(str(error))
    if not manifests:
        parser.error("DATA has no manifest. Start the training after the first one is written")

    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    model = load(options.start_from) if options.start_from is not None else new_model(options, manifests)
    numbers = {name: getattr(options, name) for name in Plan.numbers()}
    plan = Plan(steps=options.steps, minutes=options.minutes, without=tuple(options.without), **numbers)
    train(model, Tokenizer(model.settings.pieces), options.data, options.out, plan, options.device)


if __name__ == "__main__":
    main()
