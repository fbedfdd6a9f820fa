"""Repeats trainings side by side, and evaluates the mean of their weights."""

import json
import os
import subprocess
import sys
import time

from demo.commands import FOLDER, CommandError
from demo.result import Result, digest
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
        return all(run.has_ended() for run in runs)

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
    """A training with one seed. It keeps the speech or the model of an earlier run if it is complete."""

    def __init__(self, commands, training, texts, out, seed):
        self._commands, self._options, self._seed = commands, training, seed
        self._texts, self._folder = texts / training.language, out / training.language
        speech = [digest(*self._texts.glob("*.txt")), training.language, seed, *training.prepare]
        start = digest(self._folder / "start.pt")
        self._speech = Result(self._folder / f"data-{seed}", speech)
        self._model = Result(self._folder / f"run-{seed}", [*speech, start, *training.train])
        self._prepare = self._train = None

    def prepare(self, jobs):
        """Starts the synthesis of speech, unless an earlier run has completed it."""
        for result in (self._model, self._speech):
            if result.is_complete():
                report(f"{result.folder} is complete and is kept")
                return
        self._prepare = self._commands.start(
            self._folder / f"prepare-{self._seed}.log", "prepare", self._texts, self._speech.folder, "--only", "training",
            "--language", self._options.language, "--seed", self._seed, "--jobs", jobs, *self._options.prepare,
            result=self._speech, nice=10,
        )

    def train(self):
        """Starts the training as soon as there is enough speech for its first step."""
        if self._model.is_complete():
            return
        data = self._speech.folder
        written = lambda: len(list(data.glob("train-*.json")))
        self._commands.wait(lambda: self._prepare is None or self._prepare.has_ended() or written() >= FIRST_SHARDS)
        if written() < FIRST_SHARDS:
            log = self._folder / f"prepare-{self._seed}.log"
            raise CommandError(f"prepare wrote only {written()} shards. Its output is in {log}")
        self._train = self._commands.start(
            self._folder / f"train-{self._seed}.log", "train", self._model.folder, data,
            "--start-from", self._folder / "start.pt", "--seed", self._seed, *self._options.train, result=self._model,
        )

    def has_ended(self):
        return self._train is None or self._train.has_ended()

    def progress(self):
        """Returns the number of steps of the training, and its hours of speech."""
        log = self._model.folder / "log.jsonl"
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
        texts = digest(*self._texts.glob("*.txt"))
        self._speech = Result(self._folder / "evaluation", [texts, self.language, *training.evaluation])

    def prepare(self, jobs):
        """Starts the synthesis of the voices and sentences that are not in the training, unless an earlier run has
        completed it.
        """
        if self._speech.is_complete():
            report(f"{self._speech.folder} is complete and is kept")
            return
        self._commands.start(
            self._folder / "evaluation.log", "prepare", self._texts, self._speech.folder, "--only", "evaluation",
            "--language", self.language, "--jobs", jobs, *self._options, result=self._speech, nice=10,
        )

    def run(self, seeds):
        """Computes the mean of the models. Returns word errors in percent and numbers of words, by seed and for the mean.
        """
        models = {str(seed): self._folder / f"run-{seed}/model.pt" for seed in seeds}
        mean = self._folder / "mean.pt"
        mean.unlink(missing_ok=True)
        self._commands.run(self._folder / "mean.log", "model.average", mean, *models.values())
        self._commands.wait(self._speech.is_complete)
        errors = {name: self._errors(name, model) for name, model in {**models, "mean": mean}.items()}
        (self._folder / "errors.json").write_text(json.dumps(errors, indent=1) + "\n")
        return errors

    def _errors(self, name, model):
        result = self._folder / f"errors-{name}.json"
        manifests = sorted(self._speech.folder.glob("evaluation-*.json"))
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
