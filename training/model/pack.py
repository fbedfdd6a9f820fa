"""python -m model.pack CHECKPOINT OUT: writes a checkpoint with 8 bits per weight, as the start of further trainings."""

import argparse
import pathlib

from model.recognizer import load, save


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    save(load(options.checkpoint), options.out, pack=True)


if __name__ == "__main__":
    main()
