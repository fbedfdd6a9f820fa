"""Encode WAV files: python encode.py flac|opus FOLDER FILE...

Writes a file with the same name and the extension of the format to the folder. Opus has a rate of
about 25 kbit/s.
"""

import sys
from pathlib import Path

import soundfile

FORMATS = {"flac": ("FLAC", "PCM_16"), "opus": ("OGG", "OPUS")}
FRAMES_PER_BLOCK = 16_000

extension, folder, *files = sys.argv[1:]
container, codec = FORMATS[extension]
for file in files:
    target = Path(folder, Path(file).stem).with_suffix(f".{extension}")
    with soundfile.SoundFile(file) as source:
        layout = {"samplerate": source.samplerate, "channels": source.channels}
        # libsndfile crashes if one call writes an hour of Opus.
        with soundfile.SoundFile(target, "w", **layout, format=container, subtype=codec) as encoded:
            for block in source.blocks(FRAMES_PER_BLOCK, dtype="int16"):
                encoded.write(block)
