import { failAndLeave } from './fail-and-leave.ts';
import type { EndingParts } from './fail-and-leave.ts';
import type { RedisKeys } from './keys.ts';
import { ownedEntry, readOwned } from './owned-stream.ts';
import type { OwnedStream } from './owned-stream.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { Owner } from './sessions.ts';

const OWN = loadScript('own');

/** The streams that a process serves at this moment. */
export interface ServedStreams {
  has: (sessionId: string) => boolean;
  list: () => Iterable<OwnedStream>;
}

/** Creates access to the records of the streams that gateway processes own. */
export function createOwnership(link: RedisLink, keys: RedisKeys, parts: EndingParts) {
  const member = ({ epoch }: Owner, stream: OwnedStream) => ownedEntry(epoch, stream);

  /**
   * Records a stream before it is connected, so that a crash cannot leave it without an owner. Returns false if the
   * process was declared dead. The process must then not connect the stream.
   */
  async function own(owner: Owner, stream: OwnedStream): Promise<boolean> {
    return (await link.run(OWN, keys.owned(owner.id), [member(owner, stream)])) === 1;
  }

  async function disown(owner: Owner, stream: OwnedStream): Promise<void> {
    await link.send(keys.owned(owner.id), ['SREM', keys.owned(owner.id), member(owner, stream)]);
  }

  /** Returns whether the process has a record of the stream and was not declared dead. */
  async function serves(owner: Owner, stream: OwnedStream): Promise<boolean> {
    const lease = await link.send(keys.gateways(), ['ZSCORE', keys.gateways(), owner.id]);
    if (lease === null) return false;
    return (await link.send(keys.owned(owner.id), ['SISMEMBER', keys.owned(owner.id), member(owner, stream)])) === 1;
  }

  /**
   * Compares the records of a live process with the streams that it serves. Adds missing records, and removes records
   * of streams that the process does not serve. If the session of such a stream is still active, fails the session
   * without a charge. The session can still be active if, for example, a failover of Redis has undone its settlement.
   * Returns the number of failed sessions.
   */
  async function reconcile(owner: Owner, served: ServedStreams): Promise<number> {
    const key = keys.owned(owner.id);
    const recorded = new Map(
      ((await link.send(key, ['SMEMBERS', key])) as string[]).map((entry) => {
        const { stream } = readOwned(entry);
        return [stream.sessionId, stream] as const;
      }),
    );
    let failed = 0;
    for (const stream of recorded.values())
      if (!served.has(stream.sessionId) && (await release(owner, stream, served))) failed++;
    for (const stream of [...served.list()]) if (!recorded.has(stream.sessionId)) await own(owner, stream);
    return failed;
  }

  /**
   * Removes the record of a stream that the process does not serve. If the session of the stream may still be active,
   * ends the session as failed. Returns true if this call ended the session.
   */
  async function release(owner: Owner, stream: OwnedStream, served: ServedStreams): Promise<boolean> {
    const { tenant, sessionId } = stream;
    const key = keys.session(tenant, sessionId);
    const [state, connectionId] = (await link.send(key, ['HMGET', key, 'st', 'cn'])) as (string | null)[];
    let failed = false;
    // A session without a state may have ended, but may still have a slot if an earlier `leave` was lost.
    if (!state || (state === 'active' && connectionId)) {
      const options = { connectionId: connectionId ?? '' };
      failed = await failAndLeave(parts, owner, stream, 'not served', options, served.has);
    }
    // A handshake for the same session may have started in the meantime. In that case the record is kept, because the
    // handshake needs it.
    if (!served.has(sessionId)) await disown(owner, stream);
    return failed;
  }

  return { own, disown, serves, reconcile };
}
