import type { Logger } from '@svc-asr/runtime';
import type { Engine } from '../engine/engine.ts';
import { deriveSlots } from '../engine/slots.ts';
import { defaultUtilization } from '../engine/start.ts';
import type { WorkerSettings } from '../settings.ts';
import type { IoThreads } from './threads.ts';

/**
 * Largest number of streams in the measurement. It is high enough that a read or write of a socket contains many
 * frames, as under load.
 */
const MAX_STREAMS = 256;
/** Durations of the measurement. SHORT_TIMES is used if MEASURE_SECONDS is 0. */
const TIMES = { warmMs: 700, measureMs: 800 } as const;
const SHORT_TIMES = { warmMs: 100, measureMs: 200 } as const;

type Settings = Pick<
  WorkerSettings,
  'SLOTS' | 'PROVIDER' | 'UTILIZATION_PERCENT' | 'MEASURE_SECONDS' | 'TLS_CERT_FILE'
>;

/**
 * Returns the number of streams that both the engine and the I/O threads can serve. The engine has measured its work
 * per stream at warm-up. This function measures the work of the I/O threads per stream: connection, frames, shared
 * memory and messages. Returns the slots of the engine if SLOTS is set or the measurement fails.
 */
export async function limitSlots(
  threads: Pick<IoThreads, 'count' | 'measureCost'>,
  engine: Pick<Engine, 'info'>,
  settings: Settings,
  logger: Pick<Logger, 'info' | 'warn'>,
): Promise<number> {
  const { slots, contexts } = engine.info;
  const [first] = contexts;
  if (settings.SLOTS > 0 || first === undefined) return slots;
  const cost = await threads.measureCost(
    { tls: settings.TLS_CERT_FILE !== '', context: first.context, streams: Math.min(slots, MAX_STREAMS) },
    settings.MEASURE_SECONDS > 0 ? TIMES : SHORT_TIMES,
  );
  if (cost === undefined) {
    logger.warn({ reason: 'no audio arrived in time' }, 'the cost of a stream for the I/O threads is unknown');
    return slots;
  }
  const { UTILIZATION_PERCENT: percent, PROVIDER: provider } = settings;
  const utilization = percent === 0 ? defaultUtilization(provider) : percent / 100;
  const limited = deriveSlots(cost / threads.count, utilization, slots);
  const reason = `a stream takes ${(cost * 1000).toFixed(3)} ms of an I/O thread per second`;
  logger.info({ amount: limited, reason }, limited < slots ? 'the I/O threads limit the slots' : 'slots measured');
  return limited;
}
