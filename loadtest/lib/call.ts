import { sleep } from 'k6';
import execution from 'k6/execution';
import { Connection } from './connection.ts';
import { faults, readyLatency } from './metrics.ts';
import { writeRecord } from './write-record.ts';
import { phaseOf, recordingsFor } from './pace.ts';
import type { Caller, Role } from './plan.ts';
import { plan } from './plan-file.ts';
import { speeches } from './recordings.ts';
import type { Speech } from './recordings.ts';
import { createSession } from './session.ts';
import { streamRecording } from './utterance.ts';
import { SAMPLE_RATE_HZ } from './wav.ts';

/** Longer than a pool takes to scale up. */
const READY_WITHIN_MS = 150_000;
const CONFIGURED_WITHIN_MS = 20_000;
/** Longest session to reserve. The service ends a session that uses its reservation to the last sample. */
const MAX_SECONDS = 300;
const MS_PER_SAMPLE = 1000 / SAMPLE_RATE_HZ;

/** Runs one session from POST to its end. The first session of each virtual user starts at a different time. */
export async function call(role: Role = 'regular'): Promise<void> {
  const { idInTest: user, iterationInScenario: iteration } = execution.vu;
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
  const readyMs = ready === undefined ? null : ready.atMs - connection.openedAtMs;
  let utterances = 0;
  if (readyMs !== null) {
    readyLatency.add(readyMs, { role, context: name });
    if (context !== undefined) await configure(connection, context);
    const chunkMs = ready?.kind === 'ready' ? ready.chunkSamples * MS_PER_SAMPLE : 1000;
    const profile = { session: session.id, role, context: name, phase, chunkMs };
    const recordings = chosen.map((at) => speeches[at]).filter((speech): speech is Speech => speech !== undefined);
    for (const speech of recordings) {
      utterances++;
      if (!(await streamRecording(connection, speech, utterances, profile))) break;
    }
  }
  await connection.close();

  const { track, openedAtMs, endedAtMs, closeCode } = connection;
  if (track.faults.length > 0) faults.add(track.faults.length, { role });
  writeRecord({
    kind: 'session',
    session: session.id,
    tenant: caller.tenant,
    role,
    context: name,
    createMs: session.createMs,
    openedAtMs,
    readyMs,
    endedAtMs,
    closeCode,
    utterances,
    samples: track.samples,
    finals: track.finals,
    faults: track.faults,
  });
}

async function configure(connection: Connection, context: readonly [number, number]): Promise<void> {
  connection.send(JSON.stringify({ type: 'config', context }));
  const answer = await connection.next('configured', CONFIGURED_WITHIN_MS);
  if (answer === undefined) connection.track.faults.push('config was not acknowledged');
}

function callerOf(role: Role, user: number): Caller {
  const callers = plan.callers.filter((caller) => caller.role === role);
  const caller = callers[user % callers.length];
  if (caller === undefined) throw new Error(`the plan has no ${role} tenant`);
  return caller;
}
