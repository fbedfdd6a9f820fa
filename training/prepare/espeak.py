"""Synthesizes speech with espeak-ng, in the voices of espeak-ng and in random voices.

espeak-ng receives words of Kikuyu and Dholuo as phonemes, and words of other languages as text.
"""

import ctypes
import os
import pathlib
import shutil

import espeakng_loader
import numpy as np

from prepare.audio import resample
from prepare.sounds import RULES, pronounce

RATE = 22050
# Families of the voices of espeak-ng, which has two synthesizers.
FAMILIES = ("espeak", "klatt")
# Languages of espeak-ng whose phoneme tables have seven different phonemes for the seven vowels of Kikuyu.
TABLES = "tn la pt id ms ro tr ku eu bs hr sq az pap nci smj".split()
NAMES = {"B": "B", "G": "Q", "J": "n^"}
_RETRIEVAL, _UTF8, _PHONEMES = 1, 1, 0x100
_SPEED, _PITCH, _RANGE = 1, 3, 4
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


def random_variant(random, klatt):
    """Returns the text of a voice file with a random vocal tract, glottis and tone."""
    size = random.uniform(0.84, 1.22)
    lines = ["language variant", "name random"]
    pitch = random.uniform(70, 190) if size < 1.02 else random.uniform(120, 290)
    lines.append(f"pitch {pitch:.0f} {pitch * random.uniform(1.05, 1.7):.0f}")
    for number in range(9):
        frequency = 100 * size * random.uniform(0.93, 1.07)
        lines.append(
            f"formant {number} {frequency:.0f} {random.uniform(60, 130):.0f} {random.uniform(70, 180):.0f}"
            f" {random.uniform(-40, 40) if number > 1 else 0:.0f}"
        )
    lines.append(f"flutter {random.integers(0, 10)}")
    lines.append(f"roughness {random.integers(0, 5)}")
    lines.append(f"voicing {random.integers(60, 140)}")
    lines.append(f"consonants {random.integers(60, 180)} {random.integers(60, 180)}")
    if random.random() < 0.3:
        lines.append("breath " + " ".join(str(random.integers(0, 60)) for _ in range(8)))
    if random.random() < 0.5:
        levels = random.integers(60, 255, 4)
        lines.append(f"tone 150 {levels[0]} 800 {levels[1]} 2200 {levels[2]} 5000 {levels[3]}")
    if klatt:
        lines.append(f"klatt {random.integers(1, 6)}")
    return "\n".join(lines) + "\n"


class Espeak:
    """The library espeak-ng with a copy of its data in `folder`. Random voices are added to this copy."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(espeakng_loader.get_data_path(), folder, dirs_exist_ok=True)
        self.library = ctypes.CDLL(espeakng_loader.get_library_path())
        if self.library.espeak_Initialize(_RETRIEVAL, 0, os.fsencode(folder), 0) != RATE:
            raise RuntimeError("espeak-ng does not start")
        self.parts = []
        self.callback = _CALLBACK(self._receive)
        self.library.espeak_SetSynthCallback(self.callback)

    def _receive(self, samples, count, _events):
        if count > 0:
            self.parts.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def add_variant(self, name, text):
        with open(os.path.join(self.folder, "voices", "!v", name), "w", encoding="utf-8") as file:
            file.write(text)

    def speak(self, words, language, table, variant, random, natural=False):
        """Returns the samples of the spoken words at 16 kHz. With `natural`, the pitch is not changed at random."""
        if self.library.espeak_SetVoiceByName(f"{table}+{variant}".encode()) != 0:
            raise ValueError(f"espeak-ng has no voice {table}+{variant}")
        self.library.espeak_SetParameter(_SPEED, int(random.integers(110, 240)), 0)
        self.library.espeak_SetParameter(_PITCH, 50 if natural else int(random.integers(25, 80)), 0)
        self.library.espeak_SetParameter(_RANGE, 50 if natural else int(random.integers(10, 95)), 0)
        text = written(words, language).encode()
        self.parts.clear()
        self.library.espeak_Synth(text, len(text) + 1, 0, 0, 0, _UTF8 | _PHONEMES, None, None)
        self.library.espeak_Synchronize()
        pcm = np.concatenate(self.parts) if self.parts else np.zeros(0, np.int16)
        return resample(pcm, RATE)


def languages():
    """Returns the languages that espeak-ng can read."""
    folder = pathlib.Path(espeakng_loader.get_data_path()) / "lang"
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def tables_of(language, tables):
    """Returns the phoneme tables with which espeak-ng can speak a language. For a language with rules, words are
    phonemes, so all of `tables` can be used. Other languages have one table of their own.
    """
    return tables if language in RULES else [language]


def written(words, language):
    """Returns the words in the notation that espeak-ng reads: phonemes for a language with rules, and otherwise text.
    """
    if language not in RULES:
        return " ".join(words)
    return f"[[{' '.join(transcribe(pronounce(word, language)) for word in words)}]]"


def transcribe(sounds):
    """Returns the phonemes of a word in the notation of espeak-ng. The second last vowel is stressed, as in many Bantu
    languages.
    """
    vowels = [i for i, sound in enumerate(sounds) if sound in "aeEioOu"]
    stressed = vowels[-2] if len(vowels) > 1 else vowels[0] if vowels else -1
    return "".join(("'" if i == stressed else "") + NAMES.get(sound, sound) for i, sound in enumerate(sounds))
