"""Changes speech on the training device with rooms, band limits, tone, codecs, noise, other speakers and levels.

`strength` is between 0 and 1. It scales the share of utterances to which a change is applied, the largest size of the
change, or both. It is a tensor, because a CUDA graph would always use the value that a plain number had at the capture.
Random numbers come from the generator of the device, which CUDA graphs can use.
"""

import math

import torch

from model.features import RATE, WARPS

_LONGEST_ROOM_S = 0.4
_NOISES, _NOISE_S = 24, 20.0


class Augment:
    def __init__(self, device):
        self.device = device
        self.noises = self._colour_noises()

    def _colour_noises(self):
        """Returns noises from white to brown. Each noise can be repeated without a break at its end."""
        size = int(_NOISE_S * RATE)
        hz = torch.fft.rfftfreq(size, 1 / RATE, device=self.device).clamp(min=20)
        slopes = torch.linspace(0, 1.1, _NOISES, device=self.device)[:, None]
        noises = torch.fft.irfft(torch.fft.rfft(self.noise(_NOISES, size)) * (hz / 1000) ** -slopes, size)
        return noises / noises.std(1, keepdim=True)

    def uniform(self, count, low, high):
        return torch.rand(count, device=self.device) * (high - low) + low

    def chance(self, count, share):
        return torch.rand(count, device=self.device) < share

    def noise(self, *shape):
        return torch.randn(*shape, device=self.device)

    def warps(self, count, strength):
        """Returns a random index into WARPS for each utterance. It selects mel filters that move formants."""
        middle = len(WARPS) // 2
        return middle + torch.round(self.uniform(count, -1, 1) * middle * 0.75 * strength).long()

    def __call__(self, samples, lengths, strength):
        """samples [B, N] between -1 and 1 -> the same shape, rounded to 16 bits."""
        samples = self.filter(samples, strength)
        samples = self.add_noise(samples, lengths, strength)
        samples = self.code(samples, strength)
        peak = samples.abs().amax(1, keepdim=True).clamp(min=1e-4)
        level = 10 ** (self.uniform(len(samples), -26 * strength - 2, -0.5) / 20)
        samples = samples / peak * level[:, None]
        inside = torch.arange(samples.shape[1], device=self.device) < lengths[:, None]
        return torch.round(samples * 32768).clamp(-32768, 32767) / 32768 * inside

    def filter(self, samples, strength):
        """Applies a room, a band and a tone to each utterance, as one product of spectra."""
        batch, count = samples.shape
        size = fast_size(count + int(_LONGEST_ROOM_S * RATE))
        hz = torch.fft.rfftfreq(size, 1 / RATE, device=self.device)
        response = torch.fft.rfft(self.rooms(batch, strength), size)
        response = response * self.bands(batch, hz, strength) * self.tones(batch, hz, strength)
        return torch.fft.irfft(torch.fft.rfft(samples, size) * response, size)[:, :count]

    def rooms(self, batch, strength):
        """Returns impulse responses of rooms. A response contains the direct sound and a decaying noise after it."""
        count = int(_LONGEST_ROOM_S * RATE)
        at = torch.arange(count, device=self.device) / RATE
        decay = self.uniform(batch, 0.04, 0.35)[:, None]
        tail = self.noise(batch, count) * torch.exp(-6.9 * at / decay)
        tail = tail / tail.norm(dim=1, keepdim=True)
        amount = self.uniform(batch, 0.1, 0.9) * self.chance(batch, 0.4 * strength)
        room = tail * amount[:, None]
        room[:, 0] = 1.0
        return room

    def bands(self, batch, hz, strength):
        """Returns the gains of a telephone, or of a microphone that does not record low or high frequencies."""
        telephone = self.chance(batch, 0.2 * strength)
        high = torch.where(telephone, self.uniform(batch, 3100, 3900), self.uniform(batch, 3800, 9000))
        low = torch.where(telephone, self.uniform(batch, 150, 350), self.uniform(batch, 0, 150))
        limited = telephone | self.chance(batch, 0.3 * strength)
        high, low = torch.where(limited, high, 16000.0)[:, None], torch.where(limited, low, 0.0)[:, None]
        return torch.sigmoid((high - hz) / 80) * torch.sigmoid((hz - low + 1) / 15)

    def tones(self, batch, hz, strength):
        """Returns random gains that change smoothly with the logarithm of the frequency."""
        points = self.noise(batch, 8) * 5.0 * strength * self.chance(batch, 0.8)[:, None]
        place = (torch.log2(hz.clamp(min=60) / 60) / 7.06 * 7).clamp(0, 6.999)
        left = place.long()
        part = place - left
        decibels = points[:, left] * (1 - part) + points[:, left + 1] * part
        return 10 ** (decibels / 20)

    def add_noise(self, samples, lengths, strength):
        """Adds noise of a random colour, or the utterance of another row, to a share of the utterances."""
        batch, count = samples.shape
        colours = torch.randint(len(self.noises), (batch,), device=self.device)
        starts = torch.randint(self.noises.shape[1], (batch,), device=self.device)
        at = torch.arange(count, device=self.device)
        noise = self.noises[colours[:, None], (starts[:, None] + at) % self.noises.shape[1]]
        other = samples.roll(1, 0)
        babble = self.chance(batch, 0.15)[:, None]
        noise = torch.where(babble, other, noise)
        power = lambda x: x.square().sum(1) / lengths
        ratio = torch.where(babble[:, 0], self.uniform(batch, 10, 30), self.uniform(batch, 3, 40))
        gain = torch.sqrt(power(samples) / power(noise).clamp(min=1e-9)) * 10 ** (-ratio / 20)
        return samples + noise * (gain * self.chance(batch, 0.6 * strength))[:, None]

    def code(self, samples, strength):
        """Clips some utterances. Encodes and decodes some utterances with the logarithmic code of telephones."""
        batch = len(samples)
        samples = samples / samples.abs().amax(1, keepdim=True).clamp(min=1e-4)
        drive = torch.where(self.chance(batch, 0.15 * strength), self.uniform(batch, 1, 4), 1.0)[:, None]
        samples = (samples * drive).clamp(-1, 1)
        coded = torch.sign(samples) * torch.log1p(255 * samples.abs()) / math.log(256)
        coded = torch.round(coded * 127) / 127
        coded = torch.sign(coded) * (torch.pow(256.0, coded.abs()) - 1) / 255
        return torch.where(self.chance(batch, 0.15 * strength)[:, None], coded, samples)


def fast_size(count):
    """Rounds a size up to a multiple of a large power of two, because an FFT of such a size is fast."""
    step = max(64, 1 << (count.bit_length() - 4))
    return -(-count // step) * step


def hide(features, frames, augment, strength):
    """Covers random bands and times of the features with their mean (SpecAugment)."""
    batch, count, mels = features.shape
    mean = features.sum((1, 2)) / (frames * mels).clamp(min=1)
    hidden = torch.zeros(batch, count, mels, dtype=torch.bool, device=features.device)
    at, band = torch.arange(count, device=features.device), torch.arange(mels, device=features.device)
    for _ in range(2):
        size = augment.uniform(batch, 0, 18 * strength)
        start = augment.uniform(batch, 0, 1) * (mels - size)
        hidden |= ((band >= start[:, None]) & (band < (start + size)[:, None]))[:, None]
    for _ in range(3):
        size = augment.uniform(batch, 0, 1) * torch.clamp(frames * 0.06, max=25) * strength
        start = augment.uniform(batch, 0, 1) * (frames - size)
        hidden |= ((at >= start[:, None]) & (at < (start + size)[:, None]))[:, :, None]
    valid = at[None, :, None] < frames[:, None, None]
    return torch.where(hidden & valid, mean[:, None, None], features)
