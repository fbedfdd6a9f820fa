import type { Context, Engine, Final } from '@svc-asr/worker';
import { joinSpeech } from './speech.ts';
import type { Recording } from './speech.ts';

export interface EndpointsResult {
  /** Number of utterances that endpointing ended, in all pairs of recordings and all contexts. */
  readonly cuts: number;
  /**
   * Number of utterances whose text or end differs between a stream with endpointing and a stream that is flushed at
   * the samples of the cuts. The number includes the utterances after the last cut.
   */
  readonly different: number;
}

type Utterance = Pick<Final, 'text' | 'startSample' | 'endSample' | 'isEndpoint'>;

const SILENCE_MS = 240;
/** Silence after each recording, in samples. */
const PAUSE = 19_200;
const WRITE = 16_000;

/**
 * Recognizes the audio with endpointing, and again with flushes at the samples of the cuts. Compares the utterances of
 * both runs at every context.
 */
export async function compareEndpoints(engine: Engine, recordings: readonly Recording[]): Promise<EndpointsResult> {
  let [cuts, different] = [0, 0];
  const pairs = recordings.map((recording, i) => {
    const other = recordings[(i + 1) % recordings.length] ?? recording;
    return joinSpeech([recording, silence, other, silence]);
  });
  for (const { context } of engine.info.contexts) {
    await Promise.all(
      pairs.map(async (audio) => {
        const found = await recognize(engine, context, audio, undefined);
        const ends = found.filter(({ isEndpoint }) => isEndpoint).map(({ endSample }) => endSample);
        const flushed = await recognize(engine, context, audio, ends);
        cuts += ends.length;
        different += found.filter(({ text, endSample }, i) => {
          const same = flushed[i];
          return same?.text !== text || same.endSample !== endSample;
        }).length;
      }),
    );
  }
  return { cuts, different };
}

const silence: Recording = { name: 'silence', samples: new Int16Array(PAUSE), text: '' };

/** Returns the utterances of a stream with endpointing, or with flushes at the given samples. */
async function recognize(engine: Engine, context: Context, audio: Int16Array, flushes: readonly number[] | undefined) {
  while (engine.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const stream = engine.open({
    context,
    endpointing: flushes === undefined ? { silenceMs: SILENCE_MS, notBefore: 0 } : undefined,
  });
  const utterances: Utterance[] = [];
  let marks = (flushes?.length ?? 0) + 1;
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('error', reject);
    stream.on('final', (final) => {
      utterances.push(final);
      if (!final.isEndpoint && --marks === 0) resolve();
    });
  });
  let at = 0;
  for (const end of [...(flushes ?? []), audio.length]) {
    for (; at < end; at = Math.min(at + WRITE, end)) {
      if (!stream.write(audio.subarray(at, Math.min(at + WRITE, end)))) {
        await new Promise<void>((resolve) => stream.once('drain', resolve));
      }
    }
    stream.flush();
  }
  await ended;
  stream.close();
  return utterances;
}
