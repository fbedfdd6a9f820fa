"""Transcribe files with the OpenAI package: python file.py MODEL LANGUAGE FILE...

OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. Prints one line per file.
"""

import sys
from pathlib import Path

from openai import OpenAI

model, language, *files = sys.argv[1:]
client = OpenAI()
for file in files:
    transcription = client.audio.transcriptions.create(
        model=model, language=language, file=Path(file)
    )
    print(transcription.text)
