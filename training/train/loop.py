"""The training loop. It starts with short, unchanged utterances. Later utterances are longer and are changed more."""

import copy
import json
import math
import time
from dataclasses import dataclass, fields

import numpy as np
import torch

from model.features import RATE
from model.recognizer import save
from train.data import Corpus
from train.loader import Loader
from train.step import Step

_LOG_STEPS = 50


@dataclass
class Plan:
    """Options of a training other than model and data. Fields named *_share are parts of the duration of the training.
    """

    steps: int | None = None
    minutes: float | None = None
    without: tuple = ()
    seed: int = 1
    rate: float = 2e-3
    batch_seconds: float = 1500.0
    hours: float = 100.0  # size of the audio buffer on the device
    warmup_steps: int = 400
    short_share: float = 0.12  # part of the training in which the longest utterance grows
    shortest: float = 1.6  # longest utterance at the start, in seconds
    longest: float = 16.0
    change_share: float = 0.25  # part of the training after which changes of the speech have full strength
    strength: float = 1.0
    calm_share: float = 0.3  # last part of the training, in which changes become weaker
    calm_strength: float = 0.3  # strength at the end of the training, as a share of `strength`
    middle_weight: float = 0.3  # weight of the CTC loss after half of the layers
    average: float = 0.999  # largest share of the old average in an update of the averaged weights
    dropped_merges: float = 0.0  # share of the merges of pieces that are skipped (BPE dropout)
    graphs: int = 1  # 0: no CUDA graphs on a GPU
    save_seconds: float = 120.0

    @classmethod
    def numbers(cls):
        """Returns the fields that are plain numbers, with their defaults."""
        return {f.name: f.default for f in fields(cls) if f.name not in ("steps", "minutes", "without")}


class Clock:
    """Computes the progress of a training from 0 to 1, by steps or by time, and the values that depend on it."""

    def __init__(self, plan):
        self.plan, self.step, self.began = plan, 0, time.monotonic()

    @property
    def seconds(self):
        return time.monotonic() - self.began

    @property
    def progress(self):
        if self.plan.steps is not None:
            return self.step / self.plan.steps
        return self.seconds / 60 / self.plan.minutes

    def rate(self):
        warm = min(1.0, (self.step + 1) / self.plan.warmup_steps)
        return self.plan.rate * warm * max(0.01, 0.5 * (1 + math.cos(math.pi * min(1.0, self.progress))))

    def longest(self):
        share = min(1.0, self.progress / self.plan.short_share)
        return self.plan.shortest + (self.plan.longest - self.plan.shortest) * share**2

    def strength(self):
        start = self.plan.short_share / 2
        grown = min(1.0, max(0.0, (self.progress - start) / (self.plan.change_share - start)))
        calmed = max(0.0, min(1.0, (self.progress - 1) / self.plan.calm_share + 1))
        return self.plan.strength * grown * (1 - (1 - self.plan.calm_strength) * calmed)


def train(model, tokenizer, data, out, plan, device):
    """Trains until the plan ends. Returns the model with averaged weights."""
    out.mkdir(parents=True, exist_ok=True)
    clock, random = Clock(plan), np.random.default_rng(plan.seed)
    model = model.to(device).train()
    averaged = copy.deepcopy(model).eval()
    corpus = Corpus(tokenizer, device, plan.hours, plan.longest, plan.batch_seconds, plan.dropped_merges, plan.seed)
    loader = Loader(corpus, data, plan.without)
    step = Step(model, corpus, plan, device)
    table = loader.first()
    losses, seconds, last_save = [], 0.0, time.monotonic()
    with (out / "log.jsonl").open("a", encoding="utf-8") as log, loader:
        while clock.progress < 1:
            table = loader.newest(table)
            batch = table.draw(random, clock.longest() * RATE)
            losses.append(step.run(batch, random, clock.rate(), clock.strength()))
            seconds += batch.counts.sum() / RATE
            clock.step += 1
            update_average(averaged, model, min(plan.average, (clock.step + 1) / (clock.step + 10)))
            if clock.step % _LOG_STEPS == 0 or clock.progress >= 1:
                line = {
                    "step": clock.step, "loss": round(float(torch.stack(losses).mean()), 4), "rate": clock.rate(),
                    "seconds": round(clock.seconds, 1), "longest": round(clock.longest(), 1),
                    "strength": round(clock.strength(), 2), "hours": round(corpus.used / RATE / 3600, 2),
                    "audio": round(seconds / len(losses)),
                }
                losses, seconds = [], 0.0
                log.write(json.dumps(line) + "\n")
                log.flush()
                print(line, flush=True)
            if time.monotonic() - last_save > plan.save_seconds:
                save(averaged, out / "model.pt")
                last_save = time.monotonic()
    save(averaged, out / "model.pt")
    return averaged


@torch.no_grad()
def update_average(averaged, model, share):
    pairs = zip(averaged.parameters(), model.parameters())
    old, new = zip(*pairs)
    torch._foreach_lerp_(list(old), list(new), 1 - share)
