"""python -m prepare TEXTS OUT --language CODE: synthesizes speech for training and evaluation.

TEXTS is a folder with text files, one sentence per line. OUT receives WAV files with NeMo manifests (train-*.json and
evaluation-*.json) and text.json with the sentences.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import sys
import time

from prepare.espeak import languages
from prepare.recorded import can_speak
from prepare.shards import evaluation_families, write_evaluation_shard, write_training_shard
from prepare.sounds import RULES
from prepare.text import EVALUATION, Writer, read_sentences, split_sentences
from prepare.voices import voices_of

_ATTEMPTS = 3


def run_all(tasks, jobs, end):
    """Runs each task (function, arguments) in a separate process, because espeak-ng sometimes crashes. Returns the
    number of failed tasks.

    `arguments` is a function that receives the number of the attempt and returns the arguments of `function`. Tasks
    that have not started at the time `end` are not run.
    """
    fork = multiprocessing.get_context("fork")
    waiting, running, failed = [(task, 0) for task in reversed(tasks)], [], 0
    while waiting or running:
        for entry in [entry for entry in running if not entry[0].is_alive()]:
            running.remove(entry)
            process, task, attempt = entry
            if process.exitcode != 0 and attempt + 1 < _ATTEMPTS:
                waiting.append((task, attempt + 1))
            elif process.exitcode != 0:
                failed += 1
        if time.monotonic() >= end:
            waiting = []
        while waiting and len(running) < jobs:
            task, attempt = waiting.pop()
            function, arguments = task
            process = fork.Process(target=function, args=arguments(attempt))
            process.start()
            running.append((process, task, attempt))
        time.sleep(0.05)
    return failed


def evaluation_tasks(options, sentences):
    arguments = lambda family: lambda attempt: (options.out, family, options.seed + attempt, options.language, sentences)
    return [(write_evaluation_shard, arguments(family)) for family in evaluation_families(options.language)]


def training_tasks(options, writer):
    def arguments(number):
        seed = lambda attempt: options.seed + 1000 * attempt
        return lambda attempt: (options.out, number, seed(attempt), options.language, writer, options.without)

    return [(write_training_shard, arguments(number)) for number in range(options.shards)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--language", required=True, help=f"{', '.join(sorted(RULES))}, or a language of espeak-ng such as sw")
    parser.add_argument("--shards", type=int, default=100, help="shards of 120 utterances for training")
    parser.add_argument("--evaluation", default=EVALUATION, help="file of TEXTS with the sentences for evaluation")
    parser.add_argument("--sentences", type=int, help="speak this many of the sentences for evaluation")
    parser.add_argument("--held-out", type=pathlib.Path, nargs="*", default=[], help="files with further held-out sentences")
    parser.add_argument("--real-share", type=float, default=0.5, help="share of utterances with parts of real sentences")
    parser.add_argument("--domain-share", type=float, default=0.3, help="share of them that come from the file of --evaluation")
    parser.add_argument("--replaced-share", type=float, default=0.0, help="share of words of real sentences that are replaced")
    parser.add_argument("--invented-share", type=float, default=0.15, help="share of invented words among random words")
    parser.add_argument("--without", nargs="*", default=[], help="families of voices that training leaves out")
    parser.add_argument("--only", choices=["training", "evaluation"], help="leave out the other part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no shard after this time")
    options = parser.parse_args()
    if options.language not in {*RULES, *languages()}:
        parser.error(f"espeak-ng has no language {options.language}. Its languages are: {' '.join(languages())}")
    if not (options.texts / options.evaluation).is_file():
        parser.error(f"{options.texts} has no file {options.evaluation}: name the file of --evaluation")
    # The evaluation also uses the families that the training leaves out.
    voices = voices_of(options.language, options.without if options.only == "training" else ())
    if silent := [voice.name for voice in voices if not can_speak(voice, options.language)]:
        parser.error(f"these installed voices cannot speak: {' '.join(silent)}. Install all packages that README.md lists")
    options.out.mkdir(parents=True, exist_ok=True)

    language = options.language
    files = sorted(options.texts.glob("*.txt"))
    candidates = read_sentences([options.texts / options.evaluation], language)
    known = read_sentences(options.held_out, language)
    training, held_out = split_sentences(read_sentences(files, language), candidates, known)
    text = {"training": [" ".join(words) for words in training], "evaluation": [" ".join(words) for words in held_out]}
    (options.out / "text.json").write_text(json.dumps(text, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(training)} sentences for training, {len(held_out)} with {sum(map(len, held_out))} words for evaluation", flush=True)

    tasks = evaluation_tasks(options, held_out[: options.sentences]) if options.only != "training" else []
    domain = [words for words in candidates if words not in held_out]
    shares = {name: getattr(options, name) for name in ("real_share", "invented_share", "domain_share", "replaced_share")}
    writer = Writer(training, domain=domain, **shares)
    tasks += training_tasks(options, writer) if options.only != "evaluation" else []
    if failed := run_all(tasks, options.jobs, time.monotonic() + 60 * options.minutes):
        sys.exit(f"{failed} shards failed")


if __name__ == "__main__":
    main()
