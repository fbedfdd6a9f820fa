// The requests of the noisy tenant in the scenario noisy-tenant. A second k6 process with low priority runs this
// script.
import execution from 'k6/execution';
import { callerOf } from './lib/callers.ts';
import { oneCallEach, buildK6Options } from './lib/load.ts';
import { NOISE_PER_MINUTE } from './lib/noise.ts';
import type { NoiseKind } from './lib/noise.ts';
import { repeatUntil } from './lib/noise-pace.ts';
import { countDelayed, sendCreate, sendHandshake, sendWrongKey, takeWaitedMs } from './lib/noise-requests.ts';
import { streamNoise } from './lib/noise-stream.ts';
import { noisyRanges } from './lib/periods.ts';
import { plan } from './lib/plan-file.ts';

export { handleSummary } from './lib/load.ts';

/**
 * Number of virtual users for each kind of noise. Each user sends one request at a time, so a delayed answer also
 * delays the next request of the user. The tenant may have only one session at a time, so most users of the kind
 * `request` have no session.
 */
const USERS: Readonly<Record<NoiseKind, number>> = { request: 100, handshake: 20, key: 20 };

export const options = buildK6Options({
  request: oneCallEach(USERS.request, plan.durationSeconds, 'request'),
  handshake: oneCallEach(USERS.handshake, plan.durationSeconds, 'handshake'),
  key: oneCallEach(USERS.key, plan.durationSeconds, 'key'),
});

/**
 * Requests sessions. A virtual user whose request creates a session streams audio as fast as the service accepts it.
 */
export function request(): Promise<void> {
  const caller = callerOf('noisy', 0);
  return repeatInNoise('request', async (number, endMs) => {
    const session = sendCreate(caller, number);
    if (session !== undefined) await streamNoise(session, caller, { number, endMs });
  });
}

/** Requests streams with invalid credentials. */
export function handshake(): Promise<void> {
  return repeatInNoise('handshake', () => sendHandshake());
}

/** Requests sessions with API keys that do not exist. */
export function key(): Promise<void> {
  return repeatInNoise('key', () => sendWrongKey());
}

/**
 * Repeats an action in each noisy period. The virtual users of a kind of noise share the rate of this kind.
 */
async function repeatInNoise(
  kind: NoiseKind,
  act: (number: number, endMs: number) => Promise<void> | void,
): Promise<void> {
  if (plan.periods === null) throw new Error('the plan has no periods');
  const users = USERS[kind];
  const intervalMs = (60_000 * users) / (plan.noiseFactor * NOISE_PER_MINUTE[kind]);
  const offset = (execution.vu.idInTest % users) / users;
  let number = execution.vu.idInTest;
  for (const { startMs, endMs } of noisyRanges(plan.periods)) {
    const times = { startMs: startMs + offset * intervalMs, intervalMs };
    const skipped = await repeatUntil(endMs, times, () => act(number++, endMs));
    // Counts repetitions that were skipped because of slow answers, but not those that a slow generator skipped.
    countDelayed(kind, Math.min(skipped, Math.floor(takeWaitedMs() / intervalMs)));
  }
}
