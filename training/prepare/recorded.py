"""Synthesizes speech in recorded voices, with the programs festival and flite."""

import pathlib
import subprocess
import tempfile

import numpy as np

from prepare.audio import is_audible, read_wav
from prepare.sounds import VOWELS
from prepare.voices import choose_spelling

_TIMEOUT_S = 120
# Syllables for the digits 0 to 9. The names of lexicon entries are numbers that are written with these syllables. A
# voice would spell a name without vowels letter by letter.
_DIGITS = "ba de fi go lu ma ne pi ro su".split()


def speak(voice, language, sentences, random, folder):
    """Returns the samples of each sentence, or None for a sentence that the voice could not speak. A sentence is a list
    of words, and a word is a list of sounds.
    """
    folder = pathlib.Path(folder)
    paths = [folder / f"{voice.name}-{i}.wav" for i in range(len(sentences))]
    spelled = [_spell(voice, language, words, random) for words in sentences]
    if voice.engine == "flite":
        for words, path in zip(spelled, paths):
            _run(_flite_command(voice, words, random, path))
    else:
        write = _diphone_script if voice.engine == "festival" else _hts_script
        script = folder / f"{voice.name}.scm"
        script.write_text(f"(voice_{voice.name})\n" + write(voice, spelled, random, paths), encoding="utf-8")
        _run(["festival", "-b", str(script)])
    found = [read_wav(path) if path.exists() else None for path in paths]
    for path in paths:
        path.unlink(missing_ok=True)
    return found


def can_speak(voice, language):
    """Returns whether a voice speaks a word of two syllables. An installed voice may be silent because it needs files of
    another package.
    """
    with tempfile.TemporaryDirectory() as folder:
        [pcm] = speak(voice, language, [[["m", "a", "m", "a"]]], np.random.default_rng(1), folder)
    return pcm is not None and is_audible(pcm)


def _run(command):
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        pass  # `speak` returns None for the missing recordings.


def _spell(voice, language, words, random):
    """Returns each word as a list of (phone, whether it is a vowel)."""
    spelling = choose_spelling(voice, language, random)
    return [[(phone, sound in VOWELS) for sound in word for phone in spelling[sound]] for word in words]


def _flite_command(voice, words, random, path):
    phones = ["pau"]
    for word in words:
        phones += [phone for phone, _ in word]
        phones += ["pau"] if random.random() < 0.08 else []
    settings = {
        "duration_stretch": random.uniform(0.8, 1.3),
        "int_f0_target_mean": voice.pitch * random.uniform(0.8, 1.3),
        "int_f0_target_stddev": random.uniform(5, 30),
    }
    options = [part for name, value in settings.items() for part in ("--setf", f"{name}={value:.2f}")]
    return [f"flite_cmu_us_{voice.name}", *options, "-p", " ".join([*phones, "pau"]), "-o", str(path)]


def _diphone_script(voice, sentences, random, paths):
    """Returns a script that gives festival the phones of each sentence. Durations and pitch vary at random around the
    values of a calm speaker.
    """
    lines = []
    for words, path in zip(sentences, paths):
        pace, base = random.uniform(0.75, 1.35), voice.pitch * random.uniform(0.75, 1.4)
        fall, swing = random.uniform(0, 0.25), random.uniform(0.02, 0.2)
        segments = [f"({voice.pause} {random.uniform(0.08, 0.3):.3f} (0.01 {base:.0f}))"]
        for at, word in enumerate(words):
            vowels = [i for i, (_, vowel) in enumerate(word) if vowel]
            stressed = vowels[-2] if len(vowels) > 1 else -1
            level = base * (1 - fall * at / len(words))
            for i, (phone, vowel) in enumerate(word):
                long = random.uniform(0.07, 0.12) if vowel else random.uniform(0.055, 0.095)
                long *= pace * (1.25 if i == stressed else 1.0)
                target = f" ({long / 2:.3f} {level * random.normal(1, swing / 2) * (1 + swing * (i == stressed)):.0f})"
                segments.append(f"({phone} {long:.3f}{target if vowel else ''})")
            if random.random() < 0.1 and at + 1 < len(words):
                segments.append(f"({voice.pause} {random.uniform(0.05, 0.4):.3f})")
        segments.append(f"({voice.pause} {random.uniform(0.1, 0.3):.3f} (0.05 {base * (1 - fall):.0f}))")
        lines.append(_save(f"(Utterance Segments ({' '.join(segments)}))", path))
    return "\n".join(lines)


def _hts_script(_voice, sentences, random, paths):
    """Returns a script that gives festival the words of each sentence. Each word becomes an entry of the lexicon with
    its syllables, because the models of the voice need syllables.
    """
    lines, names = [], {}
    for words, path in zip(sentences, paths):
        spoken = []
        for word in words:
            syllables = _syllables(word)
            if syllables not in names:
                names[syllables] = "ta" + "".join(_DIGITS[int(digit)] for digit in str(len(names)))
                lines.append(f"(lex.add.entry '(\"{names[syllables]}\" nil ({syllables})))")
            spoken.append(names[syllables])
        lines.append(f"(Parameter.set 'Duration_Stretch {random.uniform(0.8, 1.3):.2f})")
        lines.append(_save(f'(Utterance Text "{" ".join(spoken)}")', path))
    return "\n".join(lines)


def _syllables(word):
    groups, current = [], []
    for phone, vowel in word:
        current.append((phone, vowel))
        if vowel:
            groups.append(current)
            current = []
    if current:
        groups = [*groups[:-1], [*(groups[-1] if groups else []), *current]]
    stressed = max(len(groups) - 2, 0)
    parts = []
    for i, group in enumerate(groups):
        phones = [phone + ("1" if vowel and i == stressed else "") for phone, vowel in group]
        parts.append(f"(({' '.join(phones)}) {1 if i == stressed else 0})")
    return " ".join(parts)


def _save(utterance, path):
    """Returns a command that saves the speech of a sentence. The script continues if the voice cannot speak the
    sentence.
    """
    return f'(unwind-protect (utt.save.wave (utt.synth {utterance}) "{path}" \'riff) nil)'
