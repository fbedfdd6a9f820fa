"""Transcribe a WAV file as a program of a user would. Print the segments as JSON."""

import json
import sys

import svc_asr

transcript = svc_asr.transcribe(sys.argv[1], model=sys.argv[2])
print(
    json.dumps(
        [
            {"start_ms": final.audio_start_ms, "end_ms": final.audio_end_ms, "text": final.text}
            for final in transcript.finals
        ]
    )
)
