"""python -m model.from_export EXPORT TOKENS OUT: turns a CTC export of a streaming FastConformer into a checkpoint.

The checkpoint can be evaluated, or be the start of a fine-tuning.
"""

import argparse
import pathlib
import sys

import torch

from model.recognizer import CONTEXTS, Recognizer, Settings, save
from model.tokenizer import read_tokens

sys.path.append(str(pathlib.Path(__file__).parents[1] / "optimize"))
from weights import read_weights  # noqa: E402


def convert(export, tokens):
    """Returns a recognizer with the weights of an export."""
    weights = read_weights(str(export))
    if not weights.ctc or weights.prompts > 0:
        raise ValueError(f"{export} has no CTC head, or it has language prompts")
    settings = Settings(
        pieces=read_tokens(tokens), mels=weights.mels, layers=weights.layers, width=weights.width, heads=weights.heads,
        channels=len(weights["pre_encode.conv.0.bias"]), contexts=[[weights.left, right] for _, right in CONTEXTS],
    )
    model = Recognizer(settings)
    linear = {name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)}
    state = {}
    for name in model.state_dict():
        array = weights[name.removeprefix("encoder.")]
        state[name] = torch.from_numpy(array.T.copy() if name.removesuffix(".weight") in linear else array).float()
    for name in ("encoder.pre_encode.out.weight", "encoder.pre_encode.out.bias"):
        state[name] *= float(weights.input_scale)
    model.load_state_dict(state)
    return model.eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("export", "tokens", "out"):
        parser.add_argument(name, type=pathlib.Path)
    options = parser.parse_args()
    save(convert(options.export, options.tokens), options.out)


if __name__ == "__main__":
    main()
