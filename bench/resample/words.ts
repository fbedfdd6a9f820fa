import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { COMPLETED, connectRealtime } from '../../test/support/realtime-client.ts';
import { startService, stopServices } from '../../test/support/service.ts';
import type { Service } from '../../test/support/service.ts';
import { wrapWav } from '../../test/support/wav.ts';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { resampleFiles } from '../../tools/compat/audio-tools.ts';
import { addComparisons, compareTranscripts, differentPer1000 } from '../../tools/compat/compare.ts';
import type { Comparison } from '../../tools/compat/compare.ts';
import { NativeReference } from '../../tools/compat/native.ts';
import { readRecordings } from '../../tools/compat/recordings.ts';
import type { RecordedModel } from '../../tools/compat/recordings.ts';

const WAV_HEADER_BYTES = 44;
/**
 * Number of copies of each recording. Each copy omits 23 ms more from the start of the recording than the previous
 * copy, so that the frames and chunks of the copies differ.
 */
const COPIES = { quick: 1, usual: 8, full: 8 };
const SHIFT_BYTES = 746;
const CREDIT_SECONDS = 7200;

/**
 * Resamples recordings to 24 kHz with soxr and sends them over realtime connections. Compares the words with those that
 * native streams return for the original recordings. Native streams also transcribe recordings that soxr has resampled
 * to 24 kHz and back, for a second comparison.
 */
export async function compareWords({ logProgress, size = 'usual' }: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-resample-'));
  try {
    const service = await startService();
    setDefaultCACertificates([...getCACertificates('default'), service.ca]);
    const { key } = await service.tenant({ seconds: CREDIT_SECONDS });
    const ours: Comparison[] = [];
    const soxr: Comparison[] = [];
    for (const model of readRecordings()) {
      const copies = await writeCopies(folder, model, COPIES[size]);
      await new NativeReference(service.baseUrl, key).prepare(model);
      const native = (pcm: readonly Buffer[]) => transcribeNatively(service, key, model, pcm);
      const reference = await native(copies.original);
      ours.push(compareTranscripts(reference, await transcribeRealtime(service, key, model.id, copies.wide)));
      soxr.push(compareTranscripts(reference, await native(copies.restored)));
      logProgress(`${model.id}: realtime ${JSON.stringify(ours.at(-1))}, soxr ${JSON.stringify(soxr.at(-1))}`);
    }
    const [our, other] = [addComparisons(ours), addComparisons(soxr)];
    return {
      ratios: { different_words_vs_soxr: our.different / Math.max(1, other.different) },
      figures: {
        words: our.words,
        different_words: our.different,
        different_words_per_1000: differentPer1000(our),
        soxr_different_words: other.different,
        soxr_different_words_per_1000: differentPer1000(other),
      },
    };
  } finally {
    await stopServices();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Copies {
  /** The recordings at 16 kHz. */
  readonly original: readonly Buffer[];
  /** The same recordings at 24 kHz. */
  readonly wide: readonly Buffer[];
  /** The same recordings, resampled by soxr from 24 kHz back to 16 kHz. */
  readonly restored: readonly Buffer[];
}

async function writeCopies(folder: string, { id, recordings }: RecordedModel, count: number): Promise<Copies> {
  const [at16, at24, again] = ['16', '24', '16-again'].map((name) => join(folder, id, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [at16, at24, again]) mkdirSync(each, { recursive: true });
  const original = recordings.flatMap(({ path, pcm }) =>
    Array.from({ length: count }, (_, copy) => {
      const [file, part] = [join(at16, `${copy}-${basename(path)}`), pcm.subarray(copy * SHIFT_BYTES)];
      writeFileSync(file, wrapWav(part));
      return { file, part };
    }),
  );
  const read = (files: readonly string[]) => files.map((file) => readFileSync(file).subarray(WAV_HEADER_BYTES));
  const wide = await resampleFiles(
    24_000,
    at24,
    original.map(({ file }) => file),
  );
  const restored = await resampleFiles(16_000, again, wide);
  return { original: original.map(({ part }) => part), wide: read(wide), restored: read(restored) };
}

async function transcribeNatively(
  service: Service,
  key: string,
  { id, language }: RecordedModel,
  pcm: readonly Buffer[],
) {
  const recordings = pcm.map((audio) => ({ path: '', pcm: audio, seconds: 0 }));
  return new NativeReference(service.baseUrl, key).transcribeFiles({ id, language, recordings }, 'balanced');
}

/** Transcribes recordings at 24 kHz. All recordings use one connection, and each recording is one utterance. */
async function transcribeRealtime(service: Service, key: string, model: string, audio: readonly Buffer[]) {
  const client = await connectRealtime(service, key, { query: `intent=transcription&model=${model}` });
  await client.update({ format: { type: 'audio/pcm', rate: 24_000 }, turn_detection: null });
  const texts: string[] = [];
  for (const pcm of audio) {
    client.append(pcm);
    client.commit();
    texts.push((await client.next(COMPLETED)).transcript ?? '');
  }
  client.close();
  await client.closed;
  return texts;
}
