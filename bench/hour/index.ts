/**
 * Transcribes an hour of joined recordings, or 11 minutes with `--quick`. The command-line client, the TypeScript
 * client and the Python client transcribe it at the same time. Then sends joined recordings as one Ogg Opus file.
 * Compares the words of all transcripts with those that native sessions return for the same audio, and checks the
 * charges. A native session is a single session that streams audio over WebSocket.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODEL } from '../../test/support/gateway.ts';
import { joinRecordings } from '../../test/support/long-audio.ts';
import { startService, stopServices } from '../../test/support/service.ts';
import { wrapWav } from '../../test/support/wav.ts';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { compareTranscripts, differentPer1000, MAX_DIFFERENT_PER_1000 } from '../../tools/compat/compare.ts';
import type { Comparison } from '../../tools/compat/compare.ts';
import { withInstalledWheel } from '../../tools/python/package.ts';
import { setUpPython } from '../../tools/python/run.ts';
import { checkCharge, checkCoverage } from './balance.ts';
import type { ChargedSession, Segment } from './balance.ts';
import { transcribeFile } from './file-route.ts';
import type { Hour } from './hour.ts';
import { longClients, runProgram, transcribeRanges } from './programs.ts';
import type { LongClient } from './programs.ts';

export const PARTS = ['clients', 'file'] as const;
const SECONDS = { quick: 660, usual: 3600, full: 3600 };
/**
 * Lengths of the pauses between recordings. Clients end a session at a short pause. The file route ends an utterance at
 * a pause of 1 s.
 */
const PAUSES_MS = { pauses: { clients: 600, file: 1500 }, no_pauses: { clients: 0, file: 0 } };
/**
 * Credit of the account of each client, as a multiple of the length of the audio. The credit suffices to transcribe the
 * audio once, but not twice.
 */
const CREDIT_SHARE = 1.5;

/** Result of one client or route that transcribed the audio. */
interface Run {
  readonly name: string;
  readonly comparison: Comparison;
  readonly figures: Record<string, number>;
}

/** Runs the measurement for audio with and without pauses. Throws if words or charges are wrong. */
export async function bench({ logProgress, size = 'usual', part }: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-hour-'));
  const figures: Record<string, number> = {};
  let worst = 0;
  try {
    const service = await startService();
    const [file, caFile, seconds] = [join(folder, 'hour.wav'), join(folder, 'ca.crt'), SECONDS[size]];
    writeFileSync(caFile, service.ca);
    const hour: Hour = { service, folder, file, seconds, caFile };
    for (const [kind, pauseMs] of Object.entries(PAUSES_MS)) {
      writeFileSync(file, wrapWav(joinRecordings({ seconds, pauseMs: pauseMs.clients })));
      const runs = part === 'file' ? [] : await runClients(hour);
      writeFileSync(file, wrapWav(joinRecordings({ seconds, pauseMs: pauseMs.file })));
      if (part !== 'clients') runs.push(await transcribeFile(hour));
      for (const { name, comparison, figures: own } of runs) {
        const { words, different } = comparison;
        Object.assign(own, { words, different, realtime: seconds / (own.duration_s ?? 0) });
        worst = Math.max(worst, differentPer1000(comparison) / MAX_DIFFERENT_PER_1000);
        for (const [label, value] of Object.entries(own)) figures[`${kind}_${name}_${label}`] = value;
        logProgress(`${kind}, ${name}: ${JSON.stringify(own)}`);
      }
      figures[`${kind}_load`] = loadavg()[0] ?? 0;
    }
  } finally {
    await stopServices();
    rmSync(folder, { recursive: true, force: true });
  }
  if (worst > 1) throw new Error(`more than ${MAX_DIFFERENT_PER_1000} of 1,000 words differ from native sessions`);
  return { ratios: { different_words_vs_limit: worst }, figures };
}

/** Transcribes the audio with all clients at the same time. */
async function runClients(hour: Hour): Promise<Run[]> {
  return withInstalledWheel(await setUpPython(), async (python) => {
    const transcripts = await Promise.all(longClients(python, hour.file, MODEL).map((each) => transcribe(hour, each)));
    const native = new Map<string, string>();
    const runs: Run[] = [];
    for (const { name, segments, figures } of transcripts) {
      runs.push({ name, comparison: await compare(hour, segments, native), figures });
    }
    return runs;
  });
}

/**
 * Transcribes the audio with one client, which has its own tenant. Checks that the segments cover the audio and that
 * the charge is right.
 */
async function transcribe({ service, seconds, caFile }: Hour, { name, command, segmentsOf }: LongClient) {
  const credit = Math.ceil(seconds * CREDIT_SHARE);
  const tenant = await service.tenant({ seconds: credit, limits: { concurrentSessions: 1 } });
  const startedAt = performance.now();
  const output = await runProgram({ baseUrl: service.baseUrl, apiKey: tenant.key, caFile }, command);
  const durationS = (performance.now() - startedAt) / 1000;
  const segments = segmentsOf(output);
  checkCoverage(segments, seconds * 1000);
  const { recent_sessions: sessions } = (await service.usage(tenant.key)).body as { recent_sessions: ChargedSession[] };
  const { credits } = await service.admin.account(tenant.name);
  const charge = checkCharge(sessions, credits, seconds * 1000);
  const figures: Record<string, number> = {
    duration_s: durationS,
    sessions: charge.sessions,
    charged_s: charge.chargedSeconds,
    repeated_ms: charge.repeatedMs,
  };
  return { name, segments, figures };
}

/**
 * Compares segments with the texts that native sessions return for the same ranges of the audio. `native` stores these
 * texts by range, so that a range which several clients have in common is transcribed only once.
 */
async function compare({ service, file, caFile }: Hour, segments: readonly Segment[], native: Map<string, string>) {
  const keyOf = ({ start_ms: start, end_ms: end }: Segment) => `${start}-${end}`;
  const missing = segments.filter((segment) => !native.has(keyOf(segment)));
  const tenant = await service.tenant({ seconds: 300 * (missing.length + 1) });
  const options = { baseUrl: service.baseUrl, apiKey: tenant.key, caFile };
  const texts = await transcribeRanges(options, file, MODEL, missing);
  for (const [at, segment] of missing.entries()) native.set(keyOf(segment), texts[at] ?? '');
  return compareTranscripts(
    segments.map((segment) => native.get(keyOf(segment)) ?? ''),
    segments.map(({ text }) => text),
  );
}
