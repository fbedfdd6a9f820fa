"""Repeats trainings side by side, and evaluates the mean of their weights."""

import json
import os
import subprocess
import sys
import time

from demo.commands import FOLDER, CommandError
from prepare.espeak import FAMILIES

# `train` loads this number of shards before its first step.
FIRST_SHARDS = 8
# The commands that synthesize speech for the trainings get this share of the cores.
_PREPARE_SHARE = 0.75
_REPORT_S = 60


def repeat(commands, trainings, texts, out, seeds):
    """Runs all trainings with all seeds. Returns the word errors by language and model."""
    for training in trainings:
        write_start(training, out / training.language / "start.pt")
    runs = [Run(commands, training, texts, out, seed) for training in trainings for seed in seeds]
    jobs = max(1, int(_PREPARE_SHARE * os.cpu_count() / len(runs)))
    report(f"Speech is synthesized and models are trained. The logs are in the folders of {out}")
    for run in runs:
        run.prepare(jobs)
    evaluations = [Evaluation(commands, training, texts, out) for training in trainings]
    for evaluation in evaluations:
        evaluation.prepare(jobs)
    for run in runs:
        run.train()
    # The evaluations wait for all trainings, because they would slow down a training that still runs.
    commands.wait(ended_with_reports(runs))
    report("The models are evaluated")
    return {evaluation.language: evaluation.run(seeds) for evaluation in evaluations}


def report(line):
    print(line, file=sys.stderr, flush=True)


def ended_with_reports(runs):
    """Returns a function that returns whether all trainings have ended. It reports their progress once a minute."""
    reported = time.monotonic()

    def ended():
        nonlocal reported
        if time.monotonic() - reported >= _REPORT_S:
            reported = time.monotonic()
            report(", ".join(run.progress() for run in runs))
        return all(run.training.has_ended() for run in runs)

    return ended


def write_start(training, path):
    """Writes the checkpoint with which a training starts, unless it exists already."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["git", "show", training.start], cwd=FOLDER, capture_output=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.decode().strip()
        raise CommandError(f"git show {training.start} failed: {reason}. Fetch the history, or copy this file to {path}")
    partial = path.with_suffix(".partial")
    partial.write_bytes(done.stdout)
    partial.rename(path)


class Run:
    """A training with one seed."""

    def __init__(self, commands, training, texts, out, seed):
        self._commands, self._options, self._seed = commands, training, seed
        self._texts, self._folder = texts / training.language, out / training.language

    def prepare(self, jobs):
        """Starts the synthesis of speech."""
        self._data = self._folder / f"data-{self._seed}"
        self._prepare = self._commands.start(
            self._folder / f"prepare-{self._seed}.log", "prepare", self._texts, self._data, "--only", "training",
            "--language", self._options.language, "--seed", self._seed, "--jobs", jobs, *self._options.prepare,
            result=self._data, nice=10,
        )

    def train(self):
        """Starts the training as soon as there is enough speech for its first step."""
        written = lambda: len(list(self._data.glob("train-*.json")))
        self._commands.wait(lambda: self._prepare.has_ended() or written() >= FIRST_SHARDS)
        if written() < FIRST_SHARDS:
            raise CommandError(f"prepare wrote only {written()} shards. Its output is in {self._prepare.log}")
        result = self._folder / f"run-{self._seed}"
        self.training = self._commands.start(
            self._folder / f"train-{self._seed}.log", "train", result, self._data,
            "--start-from", self._folder / "start.pt", "--seed", self._seed, *self._options.train, result=result,
        )

    def progress(self):
        """Returns the number of steps of the training, and its hours of speech."""
        log = self._folder / f"run-{self._seed}/log.jsonl"
        lines = log.read_text().splitlines() if log.exists() else []
        # `train` may be writing the last line.
        last = json.loads(lines[-2]) if len(lines) > 1 else {"step": 0, "hours": 0}
        return f"{self._options.language} {self._seed}: step {last['step']}, {last['hours']} h of speech"


class Evaluation:
    """The evaluation of all models of a language."""

    def __init__(self, commands, training, texts, out):
        self.language = training.language
        self._commands, self._options = commands, training.evaluation
        self._texts, self._folder = texts / training.language, out / training.language

    def prepare(self, jobs):
        """Starts the synthesis of the voices and sentences that are not in the training."""
        self._prepare = self._commands.start(
            self._folder / "evaluation.log", "prepare", self._texts, self._folder / "evaluation", "--only", "evaluation",
            "--language", self.language, "--jobs", jobs, *self._options, result=self._folder / "evaluation", nice=10,
        )

    def run(self, seeds):
        """Computes the mean of the models. Returns word errors in percent and numbers of words, by seed and for the mean.
        """
        models = {str(seed): self._folder / f"run-{seed}/model.pt" for seed in seeds}
        mean = self._folder / "mean.pt"
        mean.unlink(missing_ok=True)
        self._commands.run(self._folder / "mean.log", "model.average", mean, *models.values())
        self._commands.wait(self._prepare.has_ended)
        errors = {name: self._errors(name, model) for name, model in {**models, "mean": mean}.items()}
        (self._folder / "errors.json").write_text(json.dumps(errors, indent=1) + "\n")
        return errors

    def _errors(self, name, model):
        result = self._folder / f"errors-{name}.json"
        manifests = sorted((self._folder / "evaluation").glob("evaluation-*.json"))
        self._commands.run(self._folder / f"evaluate-{name}.log", "evaluate", model, *manifests, "--json", result)
        return espeak_errors(json.loads(result.read_text())[0]["errors"])


def espeak_errors(errors):
    """Returns the word errors for all voices of espeak-ng, in percent, and the number of words. `errors` has the
    percentages and the number of words of each family.
    """
    if missing := [family for family in FAMILIES if family not in errors]:
        raise CommandError(f"the evaluation has no recordings of the voices {missing[0]}")
    words = [errors[family][2] for family in FAMILIES]
    wrong = [errors[family][0] * count for family, count in zip(FAMILIES, words)]
    return sum(wrong) / sum(words), sum(words)
