"""Word and character errors of transcripts."""

from collections import defaultdict


def distance(reference, found):
    """Returns the smallest number of insertions, deletions and replacements that turn `reference` into `found`."""
    row = list(range(len(found) + 1))
    for i, one in enumerate(reference, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(found, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


class Score:
    """Counts the words, characters and errors of several utterances."""

    def __init__(self):
        self.words = self.word_errors = self.characters = self.character_errors = 0

    def add(self, reference, found):
        words = reference.split()
        self.words += len(words)
        self.word_errors += distance(words, found.split())
        self.characters += len(reference)
        self.character_errors += distance(reference, found)

    def percent(self):
        rate = lambda errors, count: round(100 * errors / max(1, count), 2)
        return rate(self.word_errors, self.words), rate(self.character_errors, self.characters)


def score_by(entries, field):
    """Returns one Score per value of a field, and one over all entries as "all". Entries have text and pred_text."""
    scores = defaultdict(Score)
    for entry in entries:
        for key in (entry.get(field, "-"), "all"):
            scores[key].add(entry["text"], entry["pred_text"])
    return dict(scores)


def report(title, scores):
    """Returns the lines of a table with word and character errors in percent."""
    lines = [title]
    for name, score in scores.items():
        words, characters = score.percent()
        lines.append(f"  {name:12} {words:6.2f} / {characters:5.2f}   {score.words} words")
    return "\n".join(lines)
