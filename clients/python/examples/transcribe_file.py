"""Transcribe a WAV file: python transcribe_file.py LANGUAGE FILE.

The address, the API key and the CA file of the service come from the environment variables
SVC_ASR_BASE_URL, SVC_ASR_API_KEY and SVC_ASR_CA_FILE.
"""

from __future__ import annotations

import sys

import svc_asr


def main() -> None:
    """Print the words of a file with their times."""
    language, path = sys.argv[1:]
    transcript = svc_asr.transcribe(path, language=language)
    for word in transcript.words:
        print(f"{word.start_ms / 1000:8.2f}  {word.text}")


if __name__ == "__main__":
    main()
