"""Resample a WAV file with soxr: python resample.py RATE FILE TARGET

The result has the same samples as a recording at this rate would have, as far as possible.
"""

import sys

import numpy
import soundfile
import soxr

rate, file, target = sys.argv[1:]
samples, own_rate = soundfile.read(file, dtype="float64")
resampled = soxr.resample(samples, own_rate, int(rate), quality="VHQ")
clipped = numpy.clip(numpy.rint(resampled * 32_768), -32_768, 32_767).astype("int16")
soundfile.write(target, clipped, int(rate), subtype="PCM_16")
