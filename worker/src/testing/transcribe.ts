import type { Phrase } from '../decode/phrases/graph.ts';
import type { Engine } from '../engine/engine.ts';
import type { Delta, Final } from '../engine/protocol.ts';
import type { EngineStream } from '../engine/stream.ts';
import type { Context } from '../model/manifest.ts';

/** Writes pieces of audio to a stream. If `write` returns false, waits for the event `drain` before the next piece. */
export async function writeAll(stream: EngineStream, pieces: Iterable<Int16Array>): Promise<void> {
  for (const piece of pieces) {
    if (!stream.write(piece)) await new Promise<void>((resolve) => stream.once('drain', resolve));
  }
}

/** Returns the next final of a stream. Rejects if the stream fails before a final arrives. */
export async function nextFinal(stream: EngineStream): Promise<Final> {
  return await new Promise((resolve, reject) => {
    stream.once('final', resolve);
    stream.once('error', reject);
  });
}

/** Options of `transcribe`. */
export interface TranscribeOptions {
  readonly sizes?: readonly number[];
  readonly context?: Context;
  readonly phrases?: readonly Phrase[];
}

/**
 * Transcribes one utterance on a new stream. The audio is written in parts of the given sizes. All further parts have
 * the last size.
 */
export async function transcribe(
  engine: Engine,
  audio: Int16Array,
  { sizes = [audio.length], context, phrases = [] }: TranscribeOptions = {},
): Promise<{ final: Final; deltas: Delta[] }> {
  const stream = engine.open(context === undefined ? { phrases } : { context, phrases });
  const deltas: Delta[] = [];
  stream.on('delta', (delta) => deltas.push(delta));
  const final = nextFinal(stream);
  await writeAll(stream, cut(audio, sizes));
  stream.flush();
  const answer = await final;
  stream.close();
  return { final: answer, deltas };
}

function* cut(audio: Int16Array, sizes: readonly number[]): Generator<Int16Array> {
  for (let at = 0, i = 0; at < audio.length; i++) {
    const size = Math.max(1, sizes[Math.min(i, sizes.length - 1)] ?? audio.length);
    yield audio.subarray(at, at + size);
    at += size;
  }
}
