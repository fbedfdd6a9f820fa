"""Transcribe the microphone until Ctrl-C: python microphone.py LANGUAGE.

Needs `pip install "svc-asr[microphone]"`. SVC_ASR_BASE_URL, SVC_ASR_API_KEY and SVC_ASR_CA_FILE are
read from the environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Any

import sounddevice

from svc_asr import Client, Delta, Final, LongStream


async def show_text(stream: LongStream) -> None:
    """Print the text while it grows."""
    async for event in stream:
        if isinstance(event, Delta):
            print(f"\r{event.text}", end="", flush=True)
        elif isinstance(event, Final) and event.text:
            print(f"\r{event.text}")


async def main() -> None:
    """Send audio from the microphone. A pause of 0.8 s ends an utterance."""
    (language,) = sys.argv[1:]
    loop = asyncio.get_running_loop()
    recorded: asyncio.Queue[bytes] = asyncio.Queue()

    def on_audio(data: Any, _frames: int, _time: Any, _status: Any) -> None:
        # Called in a thread of the audio library, which reuses the buffer.
        loop.call_soon_threadsafe(recorded.put_nowait, bytes(data))

    # Recording starts before the session is ready, so that the first syllable is not lost.
    microphone = sounddevice.RawInputStream(
        samplerate=16_000, channels=1, dtype="int16", blocksize=1600, callback=on_audio
    )
    async with Client() as client:
        with microphone:
            async with client.long_stream(
                language=language, latency="low", endpointing_ms=800
            ) as stream:
                showing = asyncio.create_task(show_text(stream))
                while not showing.done():
                    await stream.send(await recorded.get())


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
