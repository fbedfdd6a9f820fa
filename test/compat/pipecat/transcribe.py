"""Transcribe files like a Pipecat bot: python transcribe.py MODEL LANGUAGE FILE...

OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. The files are WAV (mono, 16 kHz,
16 bit). They are sent at the speed of speech, as one stream. Prints one line per utterance.
"""

import asyncio
import os
import sys
import time
import wave

from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import EndFrame, Frame, InputAudioRawFrame, TranscriptionFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.openai.stt import OpenAIRealtimeSTTService
from pipecat.workers.runner import WorkerRunner

RATE = 16000
SAMPLES_PER_FRAME = RATE // 50
SILENCE_SECONDS = 2
QUIET_SECONDS = 8


class Printer(FrameProcessor):
    """Prints transcripts."""

    last_text_at = 0.0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Print a transcript, and pass all frames on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, TranscriptionFrame):
            self.last_text_at = time.monotonic()
            print(frame.text, flush=True)
        await self.push_frame(frame, direction)


async def play(files: list[str], worker: PipelineWorker, printer: Printer) -> None:
    """Send the files and a pause after each, at the speed of speech. Then end the pipeline."""
    next_at = time.monotonic()
    for file in files:
        with wave.open(file) as wav:
            audio = wav.readframes(wav.getnframes()) + bytes(2 * RATE * SILENCE_SECONDS)
        for at in range(0, len(audio), 2 * SAMPLES_PER_FRAME):
            part = audio[at : at + 2 * SAMPLES_PER_FRAME]
            await worker.queue_frame(InputAudioRawFrame(part, RATE, 1))
            next_at += len(part) / 2 / RATE
            await asyncio.sleep(max(0, next_at - time.monotonic()))
    while time.monotonic() - max(printer.last_text_at, next_at) < QUIET_SECONDS:
        await asyncio.sleep(0.1)
    await worker.queue_frame(EndFrame())


async def main() -> None:
    """Run a pipeline that detects speech locally and recognizes it with the service."""
    model, language, *files = sys.argv[1:]
    recognizer = OpenAIRealtimeSTTService(
        api_key=os.environ["OPENAI_API_KEY"],
        # This class needs the whole address, with wss:// instead of https://.
        base_url=os.environ["OPENAI_BASE_URL"].replace("http", "ws", 1) + "/realtime",
        settings=OpenAIRealtimeSTTService.Settings(model=model, language=language),
    )
    printer = Printer()
    pipeline = Pipeline([VADProcessor(vad_analyzer=SileroVADAnalyzer()), recognizer, printer])
    worker = PipelineWorker(pipeline, params=PipelineParams(audio_in_sample_rate=RATE))
    runner = WorkerRunner()
    await runner.add_workers(worker)
    playing = asyncio.create_task(play(files, worker, printer))
    await runner.run()
    await playing


asyncio.run(main())
