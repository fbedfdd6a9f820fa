import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { TRANSCRIPTIONS_PATH } from '@svc-asr/core';
import { send } from '../../test/support/answer.ts';
import { MODEL } from '../../test/support/gateway.ts';
import { wrapWav } from '../../test/support/wav.ts';
import { encodeFiles } from '../../tools/compat/audio-tools.ts';
import { compareTranscripts } from '../../tools/compat/compare.ts';
import { decodeFile } from '../../tools/compat/recordings.ts';
import { checkCharge, checkCoverage } from './balance.ts';
import type { ChargedSession } from './balance.ts';
import type { Hour } from './hour.ts';
import { transcribeUtterances } from './programs.ts';

const ANSWER_TIMEOUT_MS = 60 * 60_000;

/**
 * Transcribes the audio as one Ogg Opus file with POST /v1/audio/transcriptions. Then transcribes the decoded file in
 * native sessions, and ends utterances by the same rules as the file route. Compares the two transcripts.
 */
export async function transcribeFile({ service, folder, file, seconds, caFile }: Hour) {
  const [encoded = ''] = await encodeFiles('opus', folder, [file]);
  const tenant = await service.tenant({ seconds: seconds + 10, limits: { concurrentSessions: 1 } });
  const startedAt = performance.now();
  const text = await upload(service.baseUrl, { ca: service.ca, key: tenant.key }, encoded);
  const durationS = (performance.now() - startedAt) / 1000;
  const { recent_sessions: sessions } = (await service.usage(tenant.key)).body as { recent_sessions: ChargedSession[] };
  const { credits } = await service.admin.account(tenant.name);
  const charge = checkCharge(sessions, credits, seconds * 1000);
  if (charge.chargedSeconds !== seconds) {
    throw new Error(`${seconds} s of audio were charged as ${charge.chargedSeconds} s`);
  }
  const decoded = join(folder, 'decoded.wav');
  writeFileSync(decoded, wrapWav(await decodeFile(encoded)));
  const { key: apiKey } = await service.tenant({ seconds: seconds * 3 });
  const native = await transcribeUtterances({ baseUrl: service.baseUrl, apiKey, caFile }, decoded, MODEL);
  checkCoverage(native, seconds * 1000);
  const figures: Record<string, number> = {
    duration_s: durationS,
    sessions: charge.sessions,
    charged_s: charge.chargedSeconds,
    utterances: native.length,
  };
  const comparison = compareTranscripts(
    native.map((segment) => segment.text),
    [text],
  );
  return { name: 'file', comparison, figures };
}

/** Returns the transcript of a file. */
async function upload(baseUrl: string, { ca, key }: { ca: string; key: string }, file: string): Promise<string> {
  const form = new FormData();
  form.append('model', MODEL);
  form.append('file', new Blob([readFileSync(file)]), 'hour.opus');
  const encoded = new Response(form);
  const { status, text, body } = await send(`${baseUrl}${TRANSCRIPTIONS_PATH}`, {
    method: 'POST',
    agent: new Agent({ ca }),
    timeout: ANSWER_TIMEOUT_MS,
    headers: { 'content-type': encoded.headers.get('content-type') ?? '', authorization: `Bearer ${key}` },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
  if (status !== 200) throw new Error(`the file was answered with ${status}: ${text}`);
  return (body as { text: string }).text;
}
