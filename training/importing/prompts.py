"""Chooses the language prompt of a multilingual model."""

from importing.source import Unsupported


def choose_prompt(count, known, language, given):
    """Returns the number of the prompt, or None if the model has none. `known` maps language tags to prompt numbers."""
    if count == 0:
        if given is not None:
            raise Unsupported("the model has no language prompts, so --prompt cannot be used")
        return None
    if given is not None:
        if given not in range(count):
            raise Unsupported(f"--prompt is {given}, but the model has {count} prompts, from 0 to {count - 1}")
        return given
    tags = {str(tag).lower(): number for tag, number in known.items()} if isinstance(known, dict) else {}
    number = tags.get(str(language).lower())
    if not isinstance(number, int) or number not in range(count):
        known_tags = f". It names prompts for: {', '.join(sorted(tags)[:20])}" if tags else ""
        raise Unsupported(
            f"the model has {count} language prompts, but names none for {language}. Choose one with --prompt NUMBER{known_tags}"
        )
    return number
