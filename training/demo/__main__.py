"""python -m demo TEXTS OUT: repeats the training of the demo models and compares the word errors.

TEXTS has a folder of texts for each language: `ki` and `luo`. OUT receives the speech, the models and their errors. The
command fails if the mean of the trainings has more word errors than the published model, by more than two percentage
points.
"""

import argparse
import pathlib
import sys

import torch

from demo.commands import CommandError, Commands, exclusive, exit_on_signals, shared_gpu
from demo.run import repeat
from demo.trainings import TRAININGS
from prepare.text import EVALUATION
from prepare.voices import VOICES, is_installed

MOST_POINTS = 2.0


def format_table(errors):
    """Returns a table of word errors. `errors` maps each language and model to its word errors in percent and its number
    of words.
    """
    lines = ["language  model   words  word errors in %  published  difference"]
    for language, models in errors.items():
        published = TRAININGS[language].word_errors
        for name, (rate, words) in models.items():
            compared = f"{published:9.1f}  {rate - published:+10.1f}" if name == "mean" else ""
            lines.append(f"{language:8}  {name:5} {words:7}  {rate:16.1f}  {compared}".rstrip())
    return "\n".join(lines)


def worse_languages(errors):
    """Returns the languages whose mean is worse than the published model by more than MOST_POINTS."""
    return [name for name, models in errors.items() if models["mean"][0] > TRAININGS[name].word_errors + MOST_POINTS]


def find_problem(languages):
    """Returns why the trainings of these languages cannot start. None if they can."""
    if not torch.cuda.is_available():
        return "the trainings need a GPU with CUDA"
    if missing := [voice.name for voice in VOICES if voice.spellings.keys() & set(languages) and not is_installed(voice)]:
        return f"these voices are not installed: {' '.join(missing)}. README.md names their packages"
    return None


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("texts", type=pathlib.Path, help="folder of texts, with a folder for each language")
    parser.add_argument("out", type=pathlib.Path, help="folder for the results")
    parser.add_argument(
        "--languages", nargs="+", choices=sorted(TRAININGS), default=sorted(TRAININGS), help="by default, all of them"
    )
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=[3, 4], help="at least two, by default 3 and 4. One training per language and seed"
    )
    parser.add_argument(
        "--continue", dest="continues", action="store_true",
        help="keep the speech and the models that an earlier run has completed, and delete and repeat the others",
    )
    options = parser.parse_args(arguments)
    if len(set(options.seeds)) != len(options.seeds) or len(options.seeds) < 2:
        parser.error("give at least two different seeds")
    options.languages = sorted(set(options.languages))
    for name in options.languages:
        if not (options.texts / name).is_dir():
            parser.error(f"{options.texts} has no folder {name}")
        if not (options.texts / name / EVALUATION).is_file():
            parser.error(f"{options.texts / name} has no file {EVALUATION}")
        if not options.continues and any(path.stem != "start" for path in (options.out / name).glob("*")):
            advice = "Choose another OUT, or add --continue, which keeps complete results and deletes the others"
            parser.error(f"{options.out / name} has files of an earlier run. {advice}")
    if problem := find_problem(options.languages):
        parser.error(problem)
    return options


def main():
    options = parse(sys.argv[1:])
    exit_on_signals()
    out = options.out.resolve()
    try:
        with exclusive(out), shared_gpu(out / "mps"), Commands() as commands:
            trainings = [TRAININGS[name] for name in options.languages]
            errors = repeat(commands, trainings, options.texts.resolve(), out, options.seeds)
    except CommandError as error:
        sys.exit(str(error))
    print(format_table(errors))
    if names := worse_languages(errors):
        sys.exit(f"The mean is worse than the published model by more than {MOST_POINTS:g} points: {', '.join(names)}")


if __name__ == "__main__":
    main()
