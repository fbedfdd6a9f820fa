import { createLedger } from '../../ledger.ts';
import type { Ledger } from '../../ledger.ts';
import { dueShard } from '../../keys.ts';
import { LedgerUnavailable } from '../../redis/link.ts';
import type { RedisLink } from '../../redis/link.ts';
import { FaultyLink } from '../faulty-link.ts';
import { SimulatedGateway, untilAnswered } from '../simulated-gateway.ts';
import { keys, PREFIX, TENANT } from './account-view.ts';
import type { Actor, CreateActor } from './process.ts';
import { START_MS } from './snapshot.ts';

export const MODEL = 'kikuyu';
/** Audio that each session reserves. */
export const SECONDS = 10;

/**
 * Time between two checks of the leases after which the ledger assumes an outage of Redis and restarts all leases. The
 * simulated clock jumps from deadline to deadline, and no such jump must count as an outage.
 */
const NEVER_MS = 1_000_000_000;

/**
 * Creates the ledger of a simulated process. The local clock of the process stands still. The ledger gets the time from
 * the replies of Redis.
 */
export function createModelLedger(link: RedisLink): Ledger {
  return createLedger(withOneShard(link), {
    prefix: PREFIX,
    localNow: () => START_MS,
    constants: { LEASE_GAP_MS: NEVER_MS },
  });
}

/**
 * Returns a link that itself answers reads of due marks in shards without tenants. A reaper then sends one message
 * instead of sixteen.
 */
function withOneShard(link: RedisLink): RedisLink {
  const used = keys.due(dueShard(TENANT));
  return {
    ready: true,
    run: (script, key, args) =>
      script.name === 'take_due' && key !== used ? Promise.resolve([]) : link.run(script, key, args),
    send: link.send,
    nodes: link.nodes,
    close: link.close,
  };
}

/** Returns the code of a gateway that may start each of the tasks once, such as `open s1` or `renew`. */
export function gatewayActor(name: string, tasks: readonly string[]): CreateActor {
  return (link) => {
    const faulty = new FaultyLink(link);
    let ids = 0;
    const gateway = new SimulatedGateway(createModelLedger(faulty.link), faulty, () => `${name}${ids++}`);
    return {
      tasks: () => tasks.filter((task) => !/^(end|chain) /.test(task) || gateway.streams.has(task.split(' ')[1] ?? '')),
      start: (task) => startTask(gateway, task),
      serves: () => gateway.steadyStreams.map(({ sessionId, owner }) => ({ sessionId, gateway: owner.id })),
      cancelled: () => [],
      memory: () => JSON.stringify([ids, gateway.memory]),
    };
  };
}

function startTask(gateway: SimulatedGateway, task: string): Promise<unknown> {
  const [what = '', sessionId = ''] = task.split(' ');
  switch (what) {
    case 'open':
      return gateway.open({ tenant: TENANT, sessionId, model: MODEL });
    case 'end':
      return gateway.end(sessionId, 'completed');
    case 'chain':
      return gateway.chain(sessionId);
    case 'join':
    case 'renew':
    case 'reconcile':
    case 'reap':
      return gateway[what]();
    default:
      throw new Error(`a gateway has no task "${task}"`);
  }
}

/** Returns the code of a gateway that creates sessions with tasks such as `create s1`. */
export function creatorActor(idempotencyKey?: string): CreateActor {
  return (link): Actor => {
    const ledger = createModelLedger(link);
    const cancelled: string[] = [];
    return {
      tasks: () => [],
      start: async (task) => {
        const sessionId = task.split(' ')[1] ?? '';
        if (!(await createSession(ledger, sessionId, idempotencyKey))) cancelled.push(sessionId);
      },
      serves: () => [],
      cancelled: () => cancelled,
      // Not known, because the ledger of this process remembers which due marks it has written and does not expose
      // them.
      memory: () => undefined,
    };
  };
}

/** Creates a session in the same steps as gateway/src/sessions. Returns false if it was cancelled. */
async function createSession(ledger: Ledger, sessionId: string, idempotencyKey: string | undefined): Promise<boolean> {
  const attempt = `a-${sessionId}`;
  const request = { tenant: TENANT, sessionId, attempt, model: MODEL, idempotencyKey };
  try {
    const details = { modelExists: true, seconds: SECONDS, secretId: 'k', credentialHash: 'hash' };
    const result = await ledger.sessions.reserve({ ...request, ...details });
    if (result.outcome !== 'ok' || !result.reservation.provisional) return true;
    const { reservation } = result;
    await ledger.pools.claim(MODEL, reservation.sessionId, reservation.expiresAtMs + 5000);
    if (!(await ledger.sessions.confirm(TENANT, reservation))) throw new LedgerUnavailable('not confirmed in time');
    return true;
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    const { outcome, sessionId: held } = await untilAnswered(() =>
      ledger.sessions.cancel({ ...request, reason: 'outcome unknown' }),
    );
    if (outcome !== 'cancelled' && outcome !== 'none') return true;
    await untilAnswered(() => ledger.pools.release(MODEL, held));
    return false;
  }
}
