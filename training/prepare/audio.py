"""Reads, writes and resamples audio with 16-bit samples."""

import wave

import numpy as np

RATE = 16000
# Block size in samples, by sample rate. Resampling pads audio to a multiple of this size, so that the length at 16 kHz
# is also a whole number of samples.
_BLOCK = {22050: 441, 32000: 2, 48000: 3, 44100: 441, 8000: 1, 11025: 441}
# Lowest peak of audible speech.
_AUDIBLE = 100


def resample(pcm, rate):
    """Returns 16-bit samples at 16 kHz. To resample, cuts off the high end of the spectrum or extends it with zeros."""
    if rate == RATE or len(pcm) == 0:
        return pcm
    block = _BLOCK[rate]
    count = -(-len(pcm) // block) * block
    spectrum = np.fft.rfft(pcm.astype(np.float32), count)
    target = count * RATE // rate
    samples = np.fft.irfft(spectrum[: target // 2 + 1], target) * (target / count)
    return np.clip(np.round(samples), -32768, 32767).astype(np.int16)


def is_audible(pcm):
    """Returns whether the peak of the samples is at least 0.3 % of full scale."""
    return np.abs(pcm).max(initial=0) >= _AUDIBLE


def read_wav(path):
    """Returns the 16-bit samples of the first channel, resampled to 16 kHz."""
    with wave.open(str(path)) as file:
        if file.getsampwidth() != 2:
            raise ValueError(f"{path} does not have samples of 16 bits")
        channels = file.getnchannels()
        data = file.readframes(file.getnframes())
        if len(data) % 2:
            raise ValueError(f"{path} is incomplete: its last sample has one byte")
        pcm = np.frombuffer(data, np.int16)[::channels]
        rate = file.getframerate()
    if rate != RATE and rate not in _BLOCK:
        raise ValueError(f"{path} has {rate} samples per second. Convert it to {RATE}")
    return resample(pcm, rate)


def write_wav(path, pcm):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.asarray(pcm, np.int16).tobytes())
