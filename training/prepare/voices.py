"""Voices that were recorded from human speakers, with tables that spell the sounds of sounds.py in the phones of each
voice.

A family consists of all voices of one speaker. For example, flite and festival both have recordings of the speakers
`kal` and `slt`. If a sound has several spellings, each utterance uses a random one. Some voices lack some of the seven
vowels of Kikuyu. They speak only Dholuo, which has five vowels.
"""

import pathlib
import shutil
from dataclasses import dataclass, field

from prepare.sounds import SOUNDS

_FESTIVAL = pathlib.Path("/usr/share/festival/voices")
_ENGLISH = {
    "a": ["aa", "ah"], "e": ["ey", "ih"], "E": ["eh"], "i": ["iy"], "o": ["ow", "uh"], "O": ["ao"], "u": ["uw"],
    "B": ["b"], "G": ["g"], "D": ["dh"], "T": ["th"], "S": ["sh"], "h": ["hh"], "tS": ["ch"], "dZ": ["jh"],
    "N": ["ng"], "J": ["n y"], "j": ["y"],
}
# The tables whose names end in _OF_FIVE are for Dholuo, which has five vowels. A voice may have an open and a closed
# phone for a vowel. Dholuo does not distinguish them, so the vowel can be spoken with either phone.
_ENGLISH_OF_FIVE = {**_ENGLISH, "e": ["eh", "ey"], "i": ["iy", "ih"], "o": ["ow", "ao"], "u": ["uw", "uh"]}
_ITALIAN = {"B": ["v"], "G": ["g"], "D": ["dz"], "T": ["ts"], "h": ["f"], "N": ["ng"]}
_ITALIAN_OF_FIVE = {**_ITALIAN, "e": ["e", "E"], "o": ["o", "O"]}
_CATALAN = {
    "B": ["b"], "G": ["g"], "D": ["z"], "T": ["t s"], "v": ["f"], "h": ["f"], "tS": ["t S"], "dZ": ["Z"], "N": ["n g"],
}
_CATALAN_OF_FIVE = {**_CATALAN, "e": ["e", "E"], "o": ["o", "O"]}
_TELUGU = {
    "e": ["ee"], "E": ["eh"], "i": ["iy"], "o": ["oo"], "O": ["oh"], "u": ["uw"], "B": ["b"], "G": ["g"], "D": ["dh"],
    "T": ["th"], "t": ["T"], "d": ["D"], "S": ["sh"], "tS": ["ch"], "dZ": ["j"], "J": ["n y"], "j": ["y"], "w": ["v"],
    "z": ["s"],
}
_TELUGU_OF_FIVE = {**_TELUGU, "e": ["ee", "eh"], "i": ["iy", "ih"], "o": ["oo", "oh"], "u": ["uw", "uh"], "a": ["a", "aa"]}
_FINNISH = {"D": ["d"], "z": ["s"], "tS": ["t S"], "dZ": ["d j"], "J": ["n j"]}
_CZECH = {
    "D": ["d~"], "T": ["t~"], "S": ["s~"], "tS": ["c~"], "dZ": ["dz~"], "N": ["n*"], "J": ["n~"], "w": ["u"],
}


@dataclass(frozen=True)
class Voice:
    """A voice of a synthesizer. `spellings` has a table of phones for each language that the voice speaks."""

    name: str
    family: str
    engine: str  # festival (diphones), hts (festival with statistical models) or flite
    spellings: dict = field(hash=False)
    pause: str = "pau"
    pitch: float = 120.0  # mean in Hz


def _both(seven, five):
    return {"ki": seven, "luo": five}


_US = _both(_ENGLISH, _ENGLISH_OF_FIVE)
VOICES = [
    Voice("kal_diphone", "kal", "festival", _US, pitch=105),
    Voice("ked_diphone", "ked", "festival", _US, pitch=105),
    Voice("slt", "slt", "flite", _US, pitch=170),
    Voice("awb", "awb", "flite", _US, pitch=130),
    Voice("rms", "rms", "flite", _US, pitch=100),
    Voice("lp_diphone", "lp", "festival", _both(_ITALIAN, _ITALIAN_OF_FIVE), "#", 170),
    Voice("pc_diphone", "pc", "festival", _both(_ITALIAN, _ITALIAN_OF_FIVE), "#", 110),
    Voice("upc_ca_ona_hts", "ona", "hts", _both(_CATALAN, _CATALAN_OF_FIVE), pitch=190),
    Voice("telugu_NSK_diphone", "nsk", "festival", _both(_TELUGU, _TELUGU_OF_FIVE), pitch=130),
    Voice("hy_fi_mv_diphone", "mv", "festival", {"luo": _FINNISH}, "#", 110),
    Voice("suo_fi_lj_diphone", "lj", "festival", {"luo": _FINNISH}, "#", 180),
    Voice("czech_ph", "ph", "festival", {"luo": _CZECH}, "#", 110),
    Voice("czech_dita", "dita", "festival", {"luo": _CZECH}, "#", 190),
    Voice("czech_machac", "machac", "festival", {"luo": _CZECH}, "#", 110),
]


def choose_spelling(voice, language, random):
    """Chooses the phones of each sound at random, for one utterance."""
    table = voice.spellings[language]
    options = {sound: table.get(sound, [sound]) for sound in SOUNDS}
    return {sound: str(random.choice(phones)).split() for sound, phones in options.items()}


def is_installed(voice):
    """Returns whether the program and the recordings of a voice are on this machine."""
    if voice.engine == "flite":
        return shutil.which(f"flite_cmu_us_{voice.name}") is not None
    return shutil.which("festival") is not None and any(_FESTIVAL.glob(f"*/{voice.name}"))


def voices_of(language, without=()):
    """Returns the installed voices that speak a language, except those of the families in `without`."""
    return [voice for voice in VOICES if language in voice.spellings and voice.family not in without and is_installed(voice)]
