"""python -m model.average OUT CHECKPOINT...: writes the mean of the weights of checkpoints. Their trainings must have
started with the same weights.
"""

import argparse
import pathlib

import torch

from model.recognizer import load, save


def average(models):
    """Changes the first model to the mean of all models, and returns it."""
    first, states = models[0], [model.state_dict() for model in models]
    for model in models[1:]:
        if model.settings != first.settings:
            raise ValueError("the checkpoints differ in their sizes or in their vocabulary")
    first.load_state_dict({name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]})
    return first


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("checkpoints", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    if len(options.checkpoints) < 2:
        parser.error("name at least two checkpoints after OUT")
    if options.out.exists():
        parser.error(f"{options.out} exists already. Remove it, or choose another OUT")
    try:
        save(average([load(path) for path in options.checkpoints]), options.out)
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
