"""Transcribe files over a WebSocket: python realtime.py MODEL LANGUAGE FILE...

OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. The files are WAV (mono, 16 kHz,
16 bit). Prints one line per file, while the transcript grows.
"""

import asyncio
import base64
import sys
import wave

from openai import AsyncOpenAI

FRAMES_PER_MESSAGE = 1600
TRANSCRIPTION = "conversation.item.input_audio_transcription"


async def transcribe(client: AsyncOpenAI, model: str, language: str, file: str) -> None:
    """Print the transcript of a file."""
    async with client.realtime.connect(extra_query={"intent": "transcription"}) as connection:
        await connection.session.update(
            session={
                "type": "transcription",
                "audio": {
                    "input": {
                        "format": {"type": "audio/pcm", "rate": 16000},
                        "transcription": {"model": model, "language": language},
                        "turn_detection": None,
                    }
                },
            }
        )
        with wave.open(file) as wav:
            while frames := wav.readframes(FRAMES_PER_MESSAGE):
                audio = base64.b64encode(frames).decode()
                await connection.input_audio_buffer.append(audio=audio)
        await connection.input_audio_buffer.commit()
        async for event in connection:
            if event.type == f"{TRANSCRIPTION}.delta":
                print(event.delta, end="", flush=True)
            elif event.type == f"{TRANSCRIPTION}.completed":
                print()
                return
            elif event.type in ("error", f"{TRANSCRIPTION}.failed"):
                raise RuntimeError(event.error.message)


async def main() -> None:
    """Transcribe the files one after the other."""
    model, language, *files = sys.argv[1:]
    async with AsyncOpenAI() as client:
        for file in files:
            await transcribe(client, model, language, file)


asyncio.run(main())
