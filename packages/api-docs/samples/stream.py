import asyncio
import sys

from svc_asr import Client, Delta, transcribe_file  # the package svc-asr


def show(event):
    if isinstance(event, Delta):
        print(f"\r{event.text}", end="", file=sys.stderr)


async def main():
    # The API key is read from SVC_ASR_API_KEY. A WAV file can have any length.
    async with Client("https://asr.example.com") as client:
        transcript = await transcribe_file(client, sys.argv[1], language="ki", on_event=show)
        print(f"\n{transcript.text}")


asyncio.run(main())
