// A process with streams at real-time pace to a worker. Its parent sends the options, and gets the result.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContextSize } from '@svc-asr/core';
import type { Control } from './controls.ts';
import { openGatewaySide } from './gateway-side.ts';
import type { GatewaySideOptions } from './gateway-side.ts';
import { joinSpeech, readRecordings } from './speech.ts';
import { WorkerCaller } from './worker-caller.ts';
import type { Measurements } from './worker-caller.ts';

/** Options that the parent sends. */
export interface GeneratorOptions extends GatewaySideOptions {
  readonly modelDir: string;
  readonly context: ContextSize;
  readonly controls: readonly Control[];
  readonly streams: number;
  /** Measured time. Before it, streams open within `warmSeconds`. */
  readonly seconds: number;
  readonly warmSeconds: number;
  readonly frameMs: number;
}

/** Result that the parent gets. Values are in the order in which they were measured. */
export interface GeneratorResult {
  readonly latencies: Float64Array;
  readonly finals: Float64Array;
  readonly lags: Float64Array;
  readonly failures: readonly string[];
  readonly opened: number;
  readonly compared: number;
  readonly different: number;
  /** Streams whose last window or flush had no answer at the end. */
  readonly unanswered: number;
  readonly cpuSeconds: number;
}

/** Share of the time before the measurement in which streams open. In the rest of it they reach a steady state. */
const OPENING_SHARE = 0.6;
/** Time after the last frame in which results arrive. */
const SETTLE_MS = 2000;

process.once('message', (options: GeneratorOptions) => {
  void generate(options).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
      process.exit(1);
    },
  );
});

async function generate(options: GeneratorOptions): Promise<GeneratorResult> {
  const side = await openGatewaySide(options);
  const samples = joinSpeech(readRecordings(options.modelDir));
  const speech = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const measurements: Measurements = {
    isMeasuring: false,
    latencies: [],
    finals: [],
    failures: [],
    opened: 0,
    compared: 0,
    different: 0,
  };
  const { context, controls, frameMs, warmSeconds } = options;
  const shared = { side, context, speech, controls, frameSamples: frameMs * 16, measurements };
  const callers = Array.from({ length: options.streams }, () => {
    // A stream starts at any time, so the ends of its windows have a random phase.
    return { caller: new WorkerCaller(shared), startMs: Math.random() * OPENING_SHARE * warmSeconds * 1000 };
  });
  callers.sort((a, b) => (a.startMs % frameMs) - (b.startMs % frameMs));
  const lags: number[] = [];
  const cpu = await speakInTurn(callers, options, measurements, lags);
  await sleep(SETTLE_MS);
  const unanswered = callers.filter(({ caller }) => caller.isOwed).length;
  for (const { caller } of callers) caller.stop();
  await sleep(500);
  await side.close();
  return {
    latencies: Float64Array.from(measurements.latencies),
    finals: Float64Array.from(measurements.finals),
    lags: Float64Array.from(lags),
    failures: measurements.failures,
    opened: measurements.opened,
    compared: measurements.compared,
    different: measurements.different,
    unanswered,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

/** Lets each caller write a frame per period, in the order of their phases. Returns the CPU time while measuring. */
async function speakInTurn(
  callers: readonly { caller: WorkerCaller; startMs: number }[],
  { frameMs, warmSeconds, seconds }: GeneratorOptions,
  measurements: Measurements,
  lags: number[],
): Promise<NodeJS.CpuUsage> {
  const startedMs = performance.now();
  let cpu = process.cpuUsage();
  for (let cycle = 0; cycle * frameMs < (warmSeconds + seconds) * 1000; cycle++) {
    if (!measurements.isMeasuring && cycle * frameMs >= warmSeconds * 1000) {
      measurements.isMeasuring = true;
      cpu = process.cpuUsage();
    }
    for (let i = 0; i < callers.length;) {
      const elapsedMs = performance.now() - startedMs;
      for (; i < callers.length; i++) {
        const { caller, startMs } = callers[i] as { caller: WorkerCaller; startMs: number };
        const lagMs = elapsedMs - cycle * frameMs - (startMs % frameMs);
        if (lagMs < 0) break;
        if (measurements.isMeasuring) lags.push(lagMs);
        if (elapsedMs >= startMs) caller.speak();
      }
      // Answers arrive between two turns.
      if (i < callers.length) await sleep(1);
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }
  measurements.isMeasuring = false;
  return process.cpuUsage(cpu);
}
