// A process that sends real-time streams to a worker. Its parent process sends the options and receives the result.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContextSize } from '@svc-asr/core';
import type { Control } from './controls.ts';
import { openGatewaySide } from './gateway-side.ts';
import type { GatewaySideOptions } from './gateway-side.ts';
import type { LoadResult } from './load-summary.ts';
import { joinSpeech, readRecordings } from './speech.ts';
import { randomStartMs, takeTurns } from './turns.ts';
import { WorkerCaller } from './worker-caller.ts';
import type { Measurements } from './worker-caller.ts';

/** Options that the parent process sends. */
export interface GeneratorOptions extends GatewaySideOptions {
  readonly modelDir: string;
  readonly context: ContextSize;
  readonly controls: readonly Control[];
  readonly streams: number;
  /** Duration of the measurement. */
  readonly seconds: number;
  /** Time before the measurement, in which the streams open. */
  readonly warmSeconds: number;
  readonly frameMs: number;
}

/** Result that the parent process receives. */
export interface GeneratorResult extends LoadResult {
  readonly cpuSeconds: number;
}

/** Time to wait for the remaining results after the last frame. */
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
    // Streams start at random times, so that the ends of their windows have random phases.
    const startMs = randomStartMs(warmSeconds);
    return { caller: new WorkerCaller(shared), startMs, phaseMs: startMs % frameMs };
  });
  let cpuBefore = process.cpuUsage();
  const lags = await takeTurns(callers, {
    startedMs: performance.now(),
    periodMs: frameMs,
    warmSeconds,
    seconds: options.seconds,
    onPeriod: (isMeasured) => {
      if (isMeasured && !measurements.isMeasuring) cpuBefore = process.cpuUsage();
      measurements.isMeasuring = isMeasured;
    },
    speak: ({ caller }) => caller.speak(),
  });
  measurements.isMeasuring = false;
  const cpu = process.cpuUsage(cpuBefore);
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
