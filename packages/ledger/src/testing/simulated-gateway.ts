import { randomUUID } from 'node:crypto';
import { TENANT_PRIORITIES } from '@svc-asr/core';
import type { Ledger } from '../ledger.ts';
import { LedgerUnavailable } from '../redis/link.ts';
import type { OwnedStream } from '../owned-stream.ts';
import type { Owner } from '../sessions.ts';
import type { FaultyLink } from './faulty-link.ts';

/** A session that a client has created. */
export interface ClientSession extends OwnedStream {
  model: string;
}

interface OpenStream extends ClientSession {
  owner: Owner;
}

/** Audio that each session of a simulation reserves, in seconds. */
export const SECONDS = 10;

const ignoreUnavailable = (error: unknown) => {
  if (!(error instanceof LedgerUnavailable)) throw error;
};

/** Repeats a request until Redis answers it, as the gateway does for settlements and rollbacks. */
export async function untilAnswered<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      ignoreUnavailable(error);
    }
  }
}

/** Sends the ledger commands of a gateway in the same order as gateway/src, but without clients and workers. */
export class SimulatedGateway {
  readonly streams = new Map<string, OpenStream>();
  /** Work that was started and may be pending because the process is frozen. */
  readonly pending = new Set<Promise<unknown>>();
  readonly faulty: FaultyLink;
  readonly ledger: Ledger;
  readonly #claims = new Map<string, OpenStream>();
  readonly #chaining = new Set<string>();
  #owner: Owner | undefined;

  readonly #createId: () => string;

  constructor(ledger: Ledger, faulty: FaultyLink, createId: () => string = randomUUID) {
    this.ledger = ledger;
    this.faulty = faulty;
    this.#createId = createId;
  }

  /** Streams that the process serves, except the streams that it is continuing in a next session. */
  get steadyStreams(): readonly OpenStream[] {
    return [...this.streams].flatMap(([id, stream]) => (this.#chaining.has(id) ? [] : [stream]));
  }

  /** Everything that the process remembers about leases and streams. */
  get memory(): unknown {
    return [this.#owner, [...this.streams], [...this.#claims], [...this.#chaining]];
  }

  /** Starts work and waits until it is done, or until the process freezes or dies. */
  async do(work: (this: this) => Promise<unknown>): Promise<void> {
    if (this.faulty.isDead) return;
    const task = work.call(this).finally(() => this.pending.delete(task));
    this.pending.add(task);
    await this.faulty.attempt(task);
  }

  async join(): Promise<void> {
    this.#owner = await untilAnswered(() => this.ledger.gateways.join(`gateway-${this.#createId()}`));
  }

  async renew(): Promise<void> {
    const owner = this.#owner;
    if (owner === undefined) return;
    try {
      if (await this.ledger.gateways.renew(owner)) return;
    } catch (error) {
      ignoreUnavailable(error);
      return;
    }
    this.#owner = undefined;
    for (const id of [...this.streams.keys()]) await this.end(id, 'failed');
    await this.join();
  }

  async open(session: ClientSession): Promise<void> {
    const owner = this.#owner;
    const { sessionId, tenant } = session;
    if (owner === undefined || this.#claims.has(sessionId)) return;
    const stream = { ...session, owner };
    this.#claims.set(sessionId, stream);
    const connectionId = this.#createId();
    try {
      if (!(await this.ledger.gateways.own(owner, session))) throw new LedgerUnavailable('declared dead');
      const request = { tenant, sessionId, credentialHash: 'hash', owner, connectionId };
      const { outcome } = await this.ledger.sessions.connect(request);
      if (outcome !== 'ok') {
        await this.#release(stream);
        return;
      }
      if (this.#owner !== owner) throw new LedgerUnavailable('lease lost');
    } catch (error) {
      ignoreUnavailable(error);
      await untilAnswered(() => this.ledger.sessions.disconnect(tenant, sessionId, connectionId));
      await this.#release(stream);
      return;
    }
    this.streams.set(sessionId, stream);
  }

  async place(sessionId: string): Promise<void> {
    const stream = this.streams.get(sessionId);
    if (stream === undefined) return;
    const { tenant, model } = stream;
    // Sessions of a tenant can have different priorities, because the priority of the Tenant can change.
    const priority = TENANT_PRIORITIES[Number.parseInt(sessionId.slice(0, 1), 16) % 3] ?? 'normal';
    await this.ledger.pools.place(model, { sessionId, tenant, priority }).catch(ignoreUnavailable);
  }

  /** Continues a stream in its next session. The pool knows the stream by its first session until the stream ends. */
  async chain(streamId: string): Promise<void> {
    const stream = this.streams.get(streamId);
    if (stream === undefined || this.#chaining.has(streamId)) return;
    const { tenant, owner, sessionId } = stream;
    const next = { ...stream, sessionId: this.#createId(), chainId: streamId };
    this.#chaining.add(streamId);
    this.#claims.set(next.sessionId, next);
    const isOwned = await untilAnswered(() => this.ledger.gateways.own(owner, next));
    const request = { tenant, sessionId, owner, nextId: next.sessionId, seconds: SECONDS, chainId: streamId };
    const { outcome } = isOwned
      ? await untilAnswered(() => this.ledger.sessions.chain(request))
      : { outcome: 'stale' as const };
    this.#chaining.delete(streamId);
    if (outcome === 'ok') {
      // The stream may have ended in the meantime, because the lease was lost.
      if (this.streams.has(streamId)) this.streams.set(streamId, next);
      else await this.#endPart(next, 'failed');
      if (sessionId !== streamId) await this.#release(stream);
      return;
    }
    await this.#release(next);
    if (outcome === 'stale') await this.end(streamId, 'failed');
  }

  /**
   * Ends a stream. `afterSettlement` is called when Redis has acknowledged the settlement. If it returns false, the
   * record of the stream is not removed, as if Redis had lost the removal.
   */
  async end(
    sessionId: string,
    outcome: 'completed' | 'failed',
    afterSettlement: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<void> {
    const stream = this.streams.get(sessionId);
    if (stream === undefined) return;
    this.streams.delete(sessionId);
    await this.#endPart(stream, outcome, afterSettlement);
    if (stream.sessionId === sessionId) return;
    await untilAnswered(() => this.ledger.gateways.disown(stream.owner, { tenant: stream.tenant, sessionId }));
    this.#claims.delete(sessionId);
  }

  async #endPart(
    stream: OpenStream,
    outcome: 'completed' | 'failed',
    afterSettlement: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<void> {
    const { tenant, model, owner, sessionId, chainId = sessionId } = stream;
    const { settle, fail } = this.ledger.sessions;
    const settleOrFail = outcome === 'completed' ? settle : fail;
    const ended = await untilAnswered(() => settleOrFail(tenant, sessionId, owner, 20_000, 'test'));
    const disowns = await afterSettlement();
    if (ended.outcome !== 'stale') await untilAnswered(() => this.ledger.pools.leave(model, chainId, tenant));
    if (disowns) await untilAnswered(() => this.ledger.gateways.disown(owner, stream));
    this.#claims.delete(sessionId);
  }

  async reconcile(): Promise<void> {
    const owner = this.#owner;
    if (owner === undefined) return;
    const claims = this.#claims;
    const served = {
      has: (sessionId: string) => claims.get(sessionId)?.owner === owner,
      list: () => [...claims.values()].filter((claim) => claim.owner === owner),
    };
    await this.ledger.gateways.reconcile(owner, served).catch(ignoreUnavailable);
  }

  async reap(): Promise<void> {
    await this.ledger.reap(ignoreUnavailable).catch(ignoreUnavailable);
    await this.ledger.gateways.reapDead(ignoreUnavailable).catch(ignoreUnavailable);
  }

  async #release(stream: OpenStream): Promise<void> {
    this.#claims.delete(stream.sessionId);
    await this.ledger.gateways.disown(stream.owner, stream).catch(ignoreUnavailable);
  }
}
