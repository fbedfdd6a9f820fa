"""Letter-to-sound rules of Kikuyu and Dholuo, because espeak-ng has no rules for these two languages. For other
languages, the rules of espeak-ng are used.

Both orthographies are almost phonemic, so a table of letters suffices.

Sounds are written in ASCII: E and O are the open vowels, B G D T the fricatives, J and N the palatal and velar nasal.
"""

VOWELS = "aeEioOu"
SOUNDS = [*VOWELS, *"p b t d k g B G D T f v s z S h tS dZ m n N J l r j w".split()]

# Sounds of letters that Kikuyu and Dholuo share. Letters that occur only in foreign names get the closest sound.
_SHARED = {
    **{letter: (letter,) for letter in "ptdkfvszhlrmnw"},
    "ng'": ("N",), "ny": ("J",), "ng": ("N", "g"), "nj": ("n", "dZ"), "sh": ("S",), "j": ("dZ",), "y": ("j",),
    "q": ("k", "w"), "x": ("k", "s"), "'": (),
}
_KIKUYU = {
    **_SHARED,
    "a": ("a",), "e": ("E",), "i": ("i",), "ĩ": ("e",), "o": ("O",), "u": ("u",), "ũ": ("o",),
    "th": ("D",), "b": ("B",), "mb": ("m", "b"), "g": ("G",), "c": ("S",),
}
_DHOLUO = {
    **_SHARED,
    **{letter: (letter,) for letter in "aeioubg"},
    "th": ("T",), "dh": ("D",), "ch": ("tS",), "c": ("t", "s"),
}
RULES = {"ki": _KIKUYU, "luo": _DHOLUO}


def pronounce(word, language):
    """Returns the sounds of a normalized word. At each position, the rule for the longest group of letters is used."""
    rules, sounds, at = RULES[language], [], 0
    while at < len(word):
        for size in (3, 2, 1):
            letters = word[at : at + size]
            if len(letters) == size and letters in rules:
                sounds.extend(rules[letters])
                at += size
                break
        else:
            raise ValueError(f"{word!r} has a letter without a rule at position {at}")
    return sounds


def alphabet(language):
    """Returns the letters that a normalized text can contain."""
    return set("".join(RULES[language]))
