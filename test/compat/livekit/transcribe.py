"""Transcribe files like a LiveKit agent: python transcribe.py MODEL LANGUAGE FILE...

OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. The files are WAV (mono, 16 bit).
They are sent at the speed of speech, as one stream. Prints one line per utterance.
"""

import asyncio
import sys
import time
import wave

from livekit import rtc
from livekit.agents import stt, utils
from livekit.plugins import openai

FRAMES_PER_SECOND = 20
# The service ends an utterance after a pause, so the last file needs silence after it.
SILENCE_SECONDS = 2
QUIET_SECONDS = 8


async def play(files: list[str], stream: stt.SpeechStream) -> None:
    """Send the files and a pause after each, at the speed of speech."""
    next_at = time.monotonic()
    for file in files:
        with wave.open(file) as wav:
            rate = wav.getframerate()
            audio = wav.readframes(wav.getnframes()) + bytes(2 * rate * SILENCE_SECONDS)
        samples = rate // FRAMES_PER_SECOND
        for at in range(0, len(audio), 2 * samples):
            part = audio[at : at + 2 * samples]
            stream.push_frame(rtc.AudioFrame(part, rate, 1, len(part) // 2))
            next_at += len(part) / 2 / rate
            await asyncio.sleep(max(0, next_at - time.monotonic()))


async def main() -> None:
    """Print the final transcripts until the files end and no more event arrives."""
    model, language, *files = sys.argv[1:]
    last_event_at = 0.0

    async def show(stream: stt.SpeechStream) -> None:
        nonlocal last_event_at
        async for event in stream:
            last_event_at = time.monotonic()
            if event.type == stt.SpeechEventType.FINAL_TRANSCRIPT:
                print(event.alternatives[0].text, flush=True)

    # A LiveKit agent already has an HTTP session. This program is not an agent, so it opens
    # a session.
    async with utils.http_context.open():
        recognizer = openai.STT(model=model, language=language, use_realtime=True)
        stream = recognizer.stream()
        showing = asyncio.create_task(show(stream))
        await play(files, stream)
        while not showing.done() and time.monotonic() - last_event_at < QUIET_SECONDS:
            await asyncio.sleep(0.1)
        await stream.aclose()
        await showing
        await recognizer.aclose()


asyncio.run(main())
