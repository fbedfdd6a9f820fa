"""Print each transcript while it grows: python stream.py MODEL LANGUAGE FILE...

OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. Prints one line per file.
"""

import sys
from pathlib import Path

from openai import OpenAI

model, language, *files = sys.argv[1:]
client = OpenAI()
for file in files:
    events = client.audio.transcriptions.create(
        model=model, language=language, file=Path(file), stream=True
    )
    for event in events:
        if event.type == "transcript.text.delta":
            print(event.delta, end="", flush=True)
    print()
