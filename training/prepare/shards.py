"""Writes shards. A shard is one WAV file with many utterances, and a NeMo manifest with the offset of each utterance.
"""

import json
import tempfile

import numpy as np

from prepare import recorded
from prepare.audio import RATE, is_audible, write_wav
from prepare.espeak import FAMILIES, TABLES, Espeak, random_variant, tables_of
from prepare.sounds import pronounce
from prepare.voices import voices_of

_UTTERANCES = 120
_LONGEST_S = 18.0
_SHORTEST_S = 0.4
# Share of shards that espeak-ng speaks if there are recorded voices. Without recorded voices, it speaks all shards. Of
# the shards that espeak-ng speaks, the share _KLATT_SHARE uses its Klatt formant synthesizer.
_ESPEAK_SHARE = 0.4
_KLATT_SHARE = 0.25
_UTTERANCES_PER_VOICE = 6
# Voices that espeak-ng ships, for the evaluation. Training uses only random voices of espeak-ng, so the model has not
# been trained on the shipped voices.
_EVALUATION_TABLES = ["tn", "la", "pt", "id"]
_EVALUATION_VARIANTS = "f1 f2 f3 f4 f5 m1 m2 m3 m4 m5 m6 m7 m8 adam steph Andy linda boris paul belinda".split()
_EVALUATION_STEP = 2  # recorded voices speak every second sentence
_KLATT_VARIANTS = "klatt klatt2 klatt3 klatt4".split()


class Shard:
    """Collects utterances of one family of voices and writes them."""

    def __init__(self, family):
        self.family, self.parts, self.lines, self.at = family, [], [], 0

    def add(self, pcm, words, voice):
        if pcm is None or not _SHORTEST_S * RATE <= len(pcm) <= _LONGEST_S * RATE or not is_audible(pcm):
            return
        self.lines.append({
            "offset": self.at / RATE, "duration": len(pcm) / RATE, "text": " ".join(words), "voice": voice,
            "family": self.family,
        })
        self.parts.append(pcm)
        self.at += len(pcm)

    def write(self, folder, name):
        """Writes the audio and then the manifest. The manifest appears in one step, so that a training can read the
        folder while shards are added to it.
        """
        if not self.lines:
            return
        write_wav(folder / f"{name}.wav", np.concatenate(self.parts))
        text = "".join(json.dumps({"audio_filepath": f"{name}.wav", **line}, ensure_ascii=False) + "\n" for line in self.lines)
        partial = folder / f"{name}.partial"
        partial.write_text(text, encoding="utf-8")
        partial.rename(folder / f"{name}.json")


def write_training_shard(folder, number, seed, language, writer, without):
    """Writes a shard. With the same texts, voices and options, its content depends only on `seed` and `number`."""
    random = np.random.default_rng([seed, number])
    voices = voices_of(language, without)
    with tempfile.TemporaryDirectory() as scratch:
        if not voices or random.random() < _ESPEAK_SHARE:
            shard = _random_espeak(random, language, writer, scratch)
        else:
            voice = voices[random.integers(len(voices))]
            shard = Shard(voice.family)
            sentences = [writer.write(random) for _ in range(_UTTERANCES)]
            _speak(shard, voice, language, sentences, random, scratch)
    shard.write(folder, f"train-{number:06d}")


def _random_espeak(random, language, writer, scratch):
    klatt = random.random() < _KLATT_SHARE
    espeak, shard = Espeak(scratch), Shard("klatt" if klatt else "espeak")
    for number in range(_UTTERANCES // _UTTERANCES_PER_VOICE):
        espeak.add_variant(f"random{number}", random_variant(random, klatt))
        for _ in range(_UTTERANCES_PER_VOICE):
            words, table = writer.write(random), str(random.choice(tables_of(language, TABLES)))
            pcm = espeak.speak(words, language, table, f"random{number}", random)
            shard.add(pcm, words, f"{table}+random")
    return shard


def _speak(shard, voice, language, sentences, random, scratch):
    sounds = [[pronounce(word, language) for word in words] for words in sentences]
    for words, pcm in zip(sentences, recorded.speak(voice, language, sounds, random, scratch)):
        shard.add(pcm, words, voice.name)


def evaluation_families(language):
    return [*FAMILIES, *[voice.family for voice in voices_of(language)]]


def write_evaluation_shard(folder, family, seed, language, sentences):
    """Writes a shard with held-out sentences, spoken by one family of voices. Recorded voices are slow, so they speak
    only some of the sentences.
    """
    random = np.random.default_rng([seed, len(family), *family.encode()])
    shard = Shard(family)
    with tempfile.TemporaryDirectory() as scratch:
        if family in FAMILIES:
            espeak = Espeak(scratch)
            variants = _KLATT_VARIANTS if family == "klatt" else _EVALUATION_VARIANTS
            tables = tables_of(language, _EVALUATION_TABLES)
            for number, words in enumerate(sentences):
                table, variant = tables[number % len(tables)], variants[number % len(variants)]
                pcm = espeak.speak(words, language, table, variant, random, natural=True)
                shard.add(pcm, words, f"{table}+{variant}")
        else:
            voice = next(voice for voice in voices_of(language) if voice.family == family)
            _speak(shard, voice, language, sentences[::_EVALUATION_STEP], random, scratch)
    shard.write(folder, f"evaluation-{family}")
