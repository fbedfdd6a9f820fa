import { check, sleep } from 'k6';
import execution from 'k6/execution';
import { billableMs } from '../../packages/core/src/audio.ts';
import { callerOf } from './callers.ts';
import { Connection } from './connection.ts';
import { currentTags } from './current-tags.ts';
import { chargedMs, readyLatency, refusals, unclearMs } from './metrics.ts';
import { phaseOf, recordingsFor } from './pace.ts';
import type { Role } from './plan.ts';
import { plan } from './plan-file.ts';
import { speeches } from './recordings.ts';
import type { Speech } from './recordings.ts';
import { createSession } from './session.ts';
import { CHECKS } from './thresholds.ts';
import { streamRecording } from './utterance.ts';
import { SAMPLE_RATE_HZ } from './wav.ts';

/** Longest wait for the `ready` message. It is longer than the time that a pool needs to scale up. */
const READY_WITHIN_MS = 150_000;
const CONFIGURED_WITHIN_MS = 20_000;
/**
 * Maximum number of seconds to reserve for a session. A session reserves more audio than it sends, because the service
 * ends a session that uses its whole reservation.
 */
const MAX_SECONDS = 300;
const MS_PER_SAMPLE = 1000 / SAMPLE_RATE_HZ;
const NORMAL_CLOSURE = 1000;
/** Close code of a session for which no worker became free in time. */
const NO_CAPACITY = 4503;

/**
 * Runs one session, from its creation with POST to its end. `iteration` is the number of earlier iterations of this
 * virtual user. If the number is 0, the session starts after a part of `spreadSeconds` that differs for each virtual
 * user. `mayContinue` is called before each further utterance. If it returns false, the session ends.
 */
export async function call(
  role: Role = 'regular',
  iteration: number = execution.vu.iterationInScenario,
  mayContinue: () => boolean = () => true,
): Promise<void> {
  const user = execution.vu.idInTest;
  const phase = phaseOf(user);
  sleep(iteration === 0 ? phase * plan.spreadSeconds : plan.pauseMs / 1000);
  const caller = callerOf(role, user);
  const lengths = speeches.map(({ pcm }) => pcm.byteLength / 2);
  const chosen = recordingsFor(lengths, user + iteration, plan.sessionSeconds * SAMPLE_RATE_HZ);
  const samples = chosen.reduce((sum, at) => sum + (lengths[at] ?? 0), 0);
  const session = createSession(caller, Math.min(MAX_SECONDS, Math.ceil(samples / SAMPLE_RATE_HZ) + 1));
  if (session === undefined) return;

  const context = plan.contexts[user % Math.max(1, plan.contexts.length)];
  const name = context?.join('-') ?? '';
  const connection = new Connection(session, role);
  const ready = await connection.next('ready', READY_WITHIN_MS);
  let utterances = 0;
  if (ready?.kind === 'ready') {
    readyLatency.add(ready.atMs - connection.openedAtMs, { role, context: name, ...currentTags() });
    if (context !== undefined) await configure(connection, context);
    const profile = { role, context: name, phase, chunkMs: ready.chunkSamples * MS_PER_SAMPLE };
    const recordings = chosen.map((at) => speeches[at]).filter((speech): speech is Speech => speech !== undefined);
    for (const speech of recordings) {
      if (utterances > 0 && !mayContinue()) break;
      utterances++;
      if (!(await streamRecording(connection, speech, profile))) break;
    }
  }
  await connection.close();
  checkSession(session.id, role, connection, utterances);
  const isCharged = connection.closeCode === NORMAL_CLOSURE && connection.track.finals === utterances;
  (isCharged ? chargedMs : unclearMs).add(billableMs(connection.track.samples), { tenant: caller.tenant });
}

function checkSession(id: string, role: Role, { closeCode, track }: Connection, utterances: number): void {
  // In a scenario that allows refused sessions, the service may also close a queued session.
  const isRefused = plan.mayBeRefused && closeCode === NO_CAPACITY;
  const passed = check(null, {
    [CHECKS.finals]: isRefused || (utterances > 0 && track.finals === utterances),
    [CHECKS.events]: isRefused || track.faults.length === 0,
    [CHECKS.closed]: isRefused || closeCode === NORMAL_CLOSURE,
  });
  if (isRefused) refusals.add(1, { role, code: String(closeCode), ...currentTags() });
  if (passed) return;
  const faults = track.faults.length === 0 ? '' : `, faults: ${track.faults.join(', ')}`;
  console.error(`session ${id}: ${track.finals} finals of ${utterances} utterances, close code ${closeCode}${faults}`);
}

async function configure(connection: Connection, context: readonly [number, number]): Promise<void> {
  connection.send(JSON.stringify({ type: 'config', context }));
  const answer = await connection.next('configured', CONFIGURED_WITHIN_MS);
  if (answer === undefined) connection.track.faults.push('config was not acknowledged');
}
