import { TYPES } from '@svc-asr/kubernetes';
import { ApiReflector } from '../kubernetes/reflector.ts';
import type { ReflectorOptions, ReflectorTimes } from '../kubernetes/reflector.ts';
import { createFakeClock } from './fake-clock.ts';
import { FakeKubeApi } from './fake-kube-api.ts';
import { createTestLogger } from './logs.ts';

/** Times and page size of a reflector. They are the defaults, except that pages are small. */
export const REFLECTOR_TIMES: ReflectorTimes = {
  pageSize: 2,
  watchSeconds: { min: 300, max: 600 },
  idleTimeoutMs: 90_000,
  relistMs: 3_600_000,
  backoff: { baseMs: 200, maxMs: 10_000 },
  shortestWatchMs: 1000,
};

/** Lets all pending promises settle. Code that waits for a timer does not continue. */
export async function settle(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** Creates a reflector of objects in memory, with a fake clock. */
export function setUpReflector(options: Partial<ReflectorOptions> = {}, cluster = new FakeKubeApi()) {
  const clock = createFakeClock();
  const { logger, at } = createTestLogger();
  const changes: string[] = [];
  const relists: string[] = [];
  const reflector = new ApiReflector({
    api: cluster.api,
    type: TYPES.Pod,
    onChange: (name) => changes.push(name),
    times: REFLECTOR_TIMES,
    logger,
    onRelist: (reason) => relists.push(reason),
    clock,
    random: () => 0.999_999,
    ...options,
  });
  const names = () =>
    reflector
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  const pass = async (ms: number, stepMs = 250) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(Math.min(stepMs, ms - passed));
      await settle();
    }
  };
  return { cluster, clock, reflector, changes, relists, names, pass, at };
}
