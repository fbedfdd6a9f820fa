"""python recipes/swahili-numbers/sentences.py TEXTS: writes lines of Swahili numbers from 0 to 999 to TEXTS/numbers.txt.

The text is generated and contains no quotations. It is under the licence of this repository.
"""

import pathlib
import random
import sys

UNITS = "sifuri moja mbili tatu nne tano sita saba nane tisa".split()
TENS = "kumi ishirini thelathini arobaini hamsini sitini sabini themanini tisini".split()
LINES = 2000
NUMBERS_PER_LINE = (2, 4)


def number_words(number):
    """Returns the words of a number from 0 to 999, such as `mia mbili na arobaini na tano` for 245."""
    hundreds, rest = divmod(number, 100)
    tens, units = divmod(rest, 10)
    parts = [f"mia {UNITS[hundreds]}"] if hundreds else []
    parts += [TENS[tens - 1]] if tens else []
    parts += [UNITS[units]] if units or not parts else []
    return " na ".join(parts)


def sentences(seed=1):
    """Returns lines of random numbers. A third of the numbers are drawn from 0 to 99, so that short numbers are not
    rare.
    """
    draw = random.Random(seed)
    number = lambda: draw.randrange(100) if draw.random() < 1 / 3 else draw.randrange(1000)
    return [" ".join(number_words(number()) for _ in range(draw.randint(*NUMBERS_PER_LINE))) for _ in range(LINES)]


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "numbers.txt").write_text("\n".join(sentences()) + "\n", encoding="utf-8")
