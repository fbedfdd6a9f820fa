"""Resample WAV files with soxr: python resample.py RATE FOLDER FILE...

Writes a file with the same name and 16 bits to the folder.
"""

import sys
from pathlib import Path

import numpy
import soundfile
import soxr

rate, folder, *files = sys.argv[1:]
for file in files:
    samples, own_rate = soundfile.read(file, dtype="float64")
    resampled = soxr.resample(samples, own_rate, int(rate), quality="VHQ")
    clipped = numpy.clip(numpy.rint(resampled * 32_768), -32_768, 32_767).astype("int16")
    soundfile.write(Path(folder, Path(file).name), clipped, int(rate), subtype="PCM_16")
