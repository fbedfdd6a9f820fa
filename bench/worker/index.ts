/**
 * Compares our engine with sherpa-onnx. Both engines use the same model and audio, and one inference thread. The rounds
 * alternate, and the best round of each engine counts.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@svc-asr/worker';
import type { Engine } from '@svc-asr/worker';
import { readStreams, secondsOf } from './audio.ts';
import type { Utterances } from './audio.ts';
import { runDeclaredLoad } from './declared.ts';
import { exportModel } from './export.ts';
import { runOurs } from './ours.ts';
import type { Round } from './ours.ts';
import type { SherpaRequest } from './sherpa.ts';
import { wordErrorRate } from './wer.ts';

/** Ratios that SLOs refer to, and all measured figures. */
export interface BenchResult {
  readonly ratios: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<string, number>>;
}

const STREAMS = 16;
const PARTS = 3;
const ROUNDS = 4;

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const modelDir = path('../../worker/models/svc-asr-kikuyu-v1');
const common = { tokens: `${modelDir}/tokens.txt`, folder: `${modelDir}/eval`, streams: STREAMS, parts: PARTS };

/** Runs the comparison. With `json`, also writes the result to the file of that name. */
export async function bench({ json }: { json?: string } = {}): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-export-'));
  try {
    const result = await compare(await exportModel(folder));
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ bench: 'worker', ...result }, null, 2)}\n`);
    return result;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Compares our engine with sherpa-onnx, which runs the exported graph. */
async function compare(exported: string): Promise<BenchResult> {
  const streams = readStreams(common.folder, STREAMS, PARTS);
  const engine = await startEngine({ modelDir });
  const peer = fork(path('./sherpa.ts'));
  try {
    const rounds = await measure(engine, peer, streams, exported);
    const declared = await runDeclaredLoad(engine, streams.flat());
    return summarize(rounds, streams, { ...declared });
  } finally {
    peer.kill();
    await engine.close();
  }
}

interface Rounds {
  readonly ours: Round[];
  readonly single: Round[];
  readonly batch: Round[];
  readonly ownGraph: Round[];
}

async function measure(
  engine: Engine,
  peer: ChildProcess,
  streams: readonly Utterances[],
  exported: string,
): Promise<Rounds> {
  const ask = async (request: SherpaRequest): Promise<Round> => {
    const answer = once(peer, 'message');
    peer.send(request);
    return (await answer)[0] as Round;
  };
  const rounds: Rounds = { ours: [], single: [], batch: [], ownGraph: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const ours = await runOurs(engine, streams);
    const single = await ask({ ...common, model: exported, mode: 'single' });
    const batch = await ask({ ...common, model: exported, mode: 'batch' });
    const ownGraph = await ask({ ...common, model: `${modelDir}/model.onnx`, mode: 'batch' });
    // The first round of each engine is not counted, because the engine compiles code and fills caches in that round.
    if (round === 0) continue;
    rounds.ours.push(ours);
    rounds.single.push(single);
    rounds.batch.push(batch);
    rounds.ownGraph.push(ownGraph);
  }
  return rounds;
}

function summarize(rounds: Rounds, streams: readonly Utterances[], declared: Record<string, number>): BenchResult {
  const seconds = secondsOf(streams);
  const least = (values: readonly number[]): number => Math.min(...values) / seconds;
  const cpu = (list: readonly Round[]): number => least(list.map(({ cpuMs }) => cpuMs));
  const wall = (list: readonly Round[]): number => least(list.map(({ wallMs }) => wallMs));
  const references = streams.flat().map(({ text }) => text);
  const wer = (list: readonly Round[]): number => wordErrorRate(references, list[0]?.texts ?? []);
  const outside = least(rounds.ours.map(({ cpuMs, runCpuMs = 0 }) => cpuMs - runCpuMs));
  // The faster of the two modes of sherpa-onnx counts.
  const sherpa = Math.min(cpu(rounds.single), cpu(rounds.batch));
  return {
    ratios: { throughput_vs_sherpa: sherpa / cpu(rounds.ours), overhead_vs_sherpa: outside / sherpa },
    figures: {
      audio_seconds: seconds,
      ours_streams_per_core: 1000 / cpu(rounds.ours),
      sherpa_streams_per_core: 1000 / sherpa,
      ours_cpu_ms_per_audio_second: cpu(rounds.ours),
      ours_cpu_ms_outside_run_per_audio_second: outside,
      sherpa_cpu_ms_per_audio_second_single: cpu(rounds.single),
      sherpa_cpu_ms_per_audio_second_batch: cpu(rounds.batch),
      sherpa_cpu_ms_per_audio_second_our_graph: cpu(rounds.ownGraph),
      ours_wall_ms_per_audio_second: wall(rounds.ours),
      sherpa_wall_ms_per_audio_second: Math.min(wall(rounds.single), wall(rounds.batch)),
      ours_word_error_rate: wer(rounds.ours),
      sherpa_word_error_rate: wer(rounds.single),
      declared_slots: declared.streams ?? 0,
      longest_stall_ms: declared.longestStallMs ?? 0,
      longest_own_stall_ms: declared.longestOwnStallMs ?? 0,
      delta_p50_ms: declared.deltaP50Ms ?? 0,
      delta_p95_ms: declared.deltaP95Ms ?? 0,
    },
  };
}
