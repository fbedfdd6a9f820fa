"""Transcribe phone calls: python phone_call.py LANGUAGE.

A WebSocket server for Twilio Media Streams, and for other services with the same messages. Each
call sends mu-law audio of 8,000 Hz in JSON. Point `<Stream url="wss://...">` to this server, behind
a proxy that provides TLS. SVC_ASR_BASE_URL, SVC_ASR_API_KEY and SVC_ASR_CA_FILE are
read from the environment.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterable

from websockets.asyncio.server import ServerConnection, serve

from svc_asr import Client, Delta, Final, LongStream, Resampler, Transcript, decode_mulaw

PORT = 8765


async def show_text(stream: LongStream) -> None:
    """Print the text of a call while it grows."""
    async for event in stream:
        if isinstance(event, Delta):
            print(f"\r{event.text}", end="", flush=True)
        elif isinstance(event, Final) and event.text:
            print(f"\r{event.text}")


async def transcribe_call(
    messages: AsyncIterable[str | bytes], client: Client, language: str
) -> Transcript:
    """Transcribe the media messages of a call until it stops."""
    resampler = Resampler(8000)
    async with client.long_stream(language=language, latency="balanced") as stream:
        showing = asyncio.create_task(show_text(stream))
        async for text in messages:
            message = json.loads(text)
            if message["event"] == "media":
                audio = decode_mulaw(base64.b64decode(message["media"]["payload"]))
                await stream.send(resampler.push(audio))
            elif message["event"] == "stop":
                break
        await stream.send(resampler.end())
        transcript = await stream.finish()
        await showing
    return transcript


async def main() -> None:
    """Serve calls until the program is interrupted."""
    (language,) = sys.argv[1:]
    async with Client() as client:

        async def handle(call: ServerConnection) -> None:
            await transcribe_call(call, client, language)

        async with serve(handle, "127.0.0.1", PORT) as server:
            await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
