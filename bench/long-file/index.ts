/**
 * Transcribes an hour of joined recordings with POST /v1/audio/transcriptions. Compares the words with native sessions
 * of the same audio, and checks the charges.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWavConverter } from '@svc-asr/client';
import { TRANSCRIPTIONS_PATH } from '@svc-asr/core';
import { send } from '../../test/support/answer.ts';
import { MODEL } from '../../test/support/gateway.ts';
import { joinRecordings } from '../../test/support/long-audio.ts';
import { startService, stopServices } from '../../test/support/service.ts';
import type { Service } from '../../test/support/service.ts';
import { wrapWav } from '../../test/support/wav.ts';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { compareTranscripts, differentPer1000, MAX_DIFFERENT_PER_1000 } from '../../tools/compat/compare.ts';
import { checkCharge } from '../hour/balance.ts';
import type { ChargedSession } from '../hour/balance.ts';
import { transcribeRanges } from '../hour/programs.ts';
import { buildFile } from './encode.ts';
import { divideAtGaps } from './ranges.ts';
import type { TimedWord } from './ranges.ts';

const SECONDS = { quick: 660, usual: 3600, full: 3600 };
/** With pauses, utterances of the file end in them. Without, the whole file is one utterance. */
const PAUSES_MS = { pauses: 1500, no_pauses: 0 };
const ANSWER_TIMEOUT_MS = 60 * 60_000;

/** Runs the measurement for audio with and without pauses. Throws if words or charges are wrong. */
export async function bench({ logProgress, size = 'usual' }: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-long-file-'));
  const [caFile, referenceFile, seconds] = [join(folder, 'ca.crt'), join(folder, 'audio.wav'), SECONDS[size]];
  const figures: Record<string, number> = {};
  let worst = 0;
  try {
    const service = await startService();
    writeFileSync(caFile, service.ca);
    for (const [kind, pauseMs] of Object.entries(PAUSES_MS)) {
      const file = buildFile(joinRecordings({ seconds, pauseMs }));
      writeFileSync(referenceFile, wrapWav(decode(file)));
      const { text, words, own } = await transcribe(service, file, seconds);
      const ranges = divideAtGaps(words, seconds * 1000);
      const { key: apiKey } = await service.tenant({ seconds: 300 * (ranges.length + 1) });
      const native = await transcribeRanges({ baseUrl: service.baseUrl, apiKey, caFile }, referenceFile, MODEL, ranges);
      const comparison = compareTranscripts([native.join(' ')], [text]);
      worst = Math.max(worst, differentPer1000(comparison) / MAX_DIFFERENT_PER_1000);
      Object.assign(own, { words: comparison.words, different: comparison.different, load: loadavg()[0] ?? 0 });
      for (const [label, value] of Object.entries(own)) figures[`${kind}_${label}`] = value;
      logProgress(`${kind}: ${JSON.stringify(own)}`);
    }
  } finally {
    await stopServices();
    rmSync(folder, { recursive: true, force: true });
  }
  if (worst > 1) throw new Error(`more than ${MAX_DIFFERENT_PER_1000} of 1,000 words differ from native sessions`);
  return { ratios: { different_words_vs_limit: worst }, figures };
}

/** Returns the audio that the service recognizes: 16 kHz PCM. */
function decode(file: Uint8Array): Buffer {
  const converter = createWavConverter();
  const parts = [converter.push(file), converter.end().pcm];
  return Buffer.concat(parts.map((pcm) => Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)));
}

/** Sends the file with a tenant of its own, and checks the charge: exactly the audio, in full sessions of 300 s. */
async function transcribe(service: Service, file: Uint8Array, seconds: number) {
  const tenant = await service.tenant({ seconds: seconds + 10, limits: { concurrentSessions: 1 } });
  const form = new FormData();
  form.append('model', MODEL);
  form.append('response_format', 'verbose_json');
  form.append('timestamp_granularities[]', 'word');
  form.append('file', new Blob([new Uint8Array(file)]), 'hour.wav');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  const body = Buffer.from(await encoded.arrayBuffer());
  const startedAt = performance.now();
  const answer = await send(`${service.baseUrl}${TRANSCRIPTIONS_PATH}`, {
    method: 'POST',
    agent: new Agent({ ca: service.ca }),
    timeout: ANSWER_TIMEOUT_MS,
    headers: { ...headers, authorization: `Bearer ${tenant.key}` },
    body,
  });
  const durationS = (performance.now() - startedAt) / 1000;
  if (answer.status !== 200) throw new Error(`the file was answered with ${answer.status}: ${answer.text}`);
  const { text, words } = answer.body as { text: string; words: TimedWord[] };
  const { recent_sessions: sessions } = (await service.usage(tenant.key)).body as { recent_sessions: ChargedSession[] };
  const { credits } = await service.admin.account(tenant.name);
  const charge = checkCharge(sessions, credits, seconds * 1000);
  if (charge.chargedSeconds !== seconds)
    throw new Error(`${seconds} s of audio were charged as ${charge.chargedSeconds} s`);
  const own: Record<string, number> = {
    file_bytes: file.length,
    duration_s: durationS,
    realtime: seconds / durationS,
    sessions: charge.sessions,
    charged_s: charge.chargedSeconds,
  };
  return { text, words, own };
}
