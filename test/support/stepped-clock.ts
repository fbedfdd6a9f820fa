import { createHash } from 'node:crypto';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger, LedgerOptions, RedisLink } from '@svc-asr/ledger';
import { connected } from './connected.ts';

const NOW = 't[1] * 1000 + math.floor(t[2] / 1000)';
const OFFSET_KEY = 'test:clock-offset';

/** Ledger whose Redis scripts use a clock that the test moves. */
export interface SteppedLedger extends Ledger {
  /** Moves the clock of every SteppedLedger on this Redis, forwards or backwards. */
  step: (ms: number) => Promise<void>;
}

/** Opens a ledger whose scripts add an offset to Redis TIME. */
export async function openSteppedLedger(url: string, options: LedgerOptions): Promise<SteppedLedger> {
  return createSteppedLedger(await connected(connectRedis({ url, name: 'test', timeoutMs: 5000 })), options);
}

/** Creates a ledger whose scripts add an offset to Redis TIME, on an existing connection. */
export function createSteppedLedger(link: RedisLink, options: LedgerOptions): SteppedLedger {
  const ledger = createLedger(withOffset(link), options);
  const step = async (ms: number) => {
    await link.send(OFFSET_KEY, ['INCRBY', OFFSET_KEY, String(ms)]);
  };
  return { ...ledger, step };
}

function withOffset(link: RedisLink): RedisLink {
  const run: RedisLink['run'] = (script, key, args) => {
    const source = replaceClock(script, `${NOW} + (redis.call('GET', '${OFFSET_KEY}') or 0)`);
    return link.run({ name: script.name, source, sha1: createHash('sha1').update(source).digest('hex') }, key, args);
  };
  return {
    get ready() {
      return link.ready;
    },
    run,
    send: link.send,
    nodes: link.nodes,
    close: link.close,
  };
}

/** Returns the source of a script in which a Lua expression replaces the time of Redis. */
export function replaceClock({ name, source }: { name: string; source: string }, expression: string): string {
  const replaced = source.replace(`return ${NOW}`, `return ${expression}`);
  if (replaced === source && source.includes("'TIME'")) throw new Error(`${name}.lua reads another clock`);
  return replaced;
}
