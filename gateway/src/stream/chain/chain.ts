import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { audioMs, SAMPLES_PER_MS } from '@svc-asr/core';
import type { Chained, Ledger, OwnedStream } from '@svc-asr/ledger';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../../metrics.ts';
import type { SizedShare } from '../audio-memory/audio-budget.ts';
import type { Handshake } from '../handshake/handshake.ts';
import type { Extension, StreamChain, StreamEnd } from '../session.ts';
import type { Claims } from '../settlement/claims.ts';
import type { Settlements } from '../settlement/settlements.ts';

/** Time until the next attempt after a request to Redis has failed, or while there is no free audio memory. */
const RETRY_MS = 200;

export interface ChainParts {
  readonly ledger: Ledger;
  readonly claims: Claims;
  readonly settlements: Settlements;
  readonly logger: Logger;
  readonly metrics: Pick<GatewayMetrics, 'billedSeconds' | 'tenantUsage'>;
  /** Maximum audio of each session of a chain. */
  readonly partMs: number;
  /** True if another session is reserved when the audio of the current one is used up. */
  readonly isEndless: boolean;
}

/**
 * The sessions of a stream that lasts longer than one session. Workers and pools know the stream by its first session.
 *
 * There are two cases. The first session of a file has reserved all audio, and its settlement divides the audio into
 * sessions. For other streams, each session is settled when it is full, together with the reservation of the next one.
 * In both cases the stream may use the audio of one part at a time. `extend` first takes audio memory for the next
 * part, because the gateway keeps unanswered audio. If the gateway is full, the stream continues with the memory that
 * it already has.
 */
export class Chain implements StreamChain {
  readonly #parts: ChainParts;
  readonly #handshake: Handshake;
  readonly #share: SizedShare;
  readonly #first: OwnedStream;
  /** Session to which the current audio is charged. */
  #current: OwnedStream;
  /** Total audio of all sessions before the current one. */
  #settledMs = 0;
  /** Audio that the current session has reserved. */
  #reservedMs: number;
  /** Audio that the stream may use, counted from the start of the stream. */
  #usableMs: number;
  /** Next session. Set while it is unknown whether the ledger has created this session. */
  #next: OwnedStream | undefined;
  #extending: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(parts: ChainParts, handshake: Handshake, share: SizedShare) {
    this.#parts = parts;
    this.#handshake = handshake;
    this.#share = share;
    const { tenant, sessionId, reservedMs } = handshake;
    this.#first = { tenant, sessionId };
    this.#current = this.#first;
    this.#reservedMs = reservedMs;
    this.#usableMs = Math.min(reservedMs, parts.partMs);
  }

  get sessionId(): string {
    return this.#current.sessionId;
  }

  /** Audio that the stream may use before the first call of `extend`. */
  get firstMs(): number {
    return Math.min(this.#handshake.reservedMs, this.#parts.partMs);
  }

  extend(heldSamples: () => number): Promise<Extension> {
    const extension = this.#extend(() => audioMs(heldSamples()));
    this.#extending = extension.catch(() => undefined);
    return extension;
  }

  /**
   * Settles the current session. If the session has reserved the audio of a whole file, the settlement divides the
   * audio into sessions of at most `partMs`. Call when the stream has ended.
   */
  async settle(end: StreamEnd): Promise<void> {
    this.#stopped = true;
    await this.#extending;
    const { settlements, claims, partMs } = this.#parts;
    const { owner } = this.#handshake;
    const count = Math.ceil(this.#reservedMs / partMs) - 1;
    const parts = count > 0 ? { ms: partMs, ids: Array.from({ length: count }, () => randomUUID()) } : undefined;
    let samples = end.samples - this.#settledMs * SAMPLES_PER_MS;
    // If it is unknown whether the ledger has created the next session, the current and the next session are both
    // settled. If the ledger has created the next one, it has already settled the current one. A second settlement then
    // changes nothing.
    for (const part of this.#next === undefined ? [this.#current] : [this.#current, this.#next]) {
      await settlements.add({ ...this.#handshake, ...part, parts }, owner, { ...end, samples });
      if (part !== this.#first) claims.release(part.sessionId);
      samples = 0;
    }
    if (this.#current !== this.#first || this.#next !== undefined) this.#disown(this.#first);
    claims.release(this.#first.sessionId);
  }

  async #extend(heldMs: () => number): Promise<Extension> {
    const freeMs = await this.#takeMemory(heldMs);
    if (freeMs === undefined) return { outcome: 'stopped' };
    const unusedMs = this.#settledMs + this.#reservedMs - this.#usableMs;
    let extension: Extension = { outcome: 'credit' };
    if (unusedMs > 0) extension = { outcome: 'ok', ms: unusedMs };
    else if (this.#parts.isEndless) extension = await this.#reserveNext();
    if (extension.outcome !== 'ok') return extension;
    const ms = Math.min(freeMs, extension.ms);
    this.#usableMs += ms;
    return { outcome: 'ok', ms };
  }

  /**
   * Takes memory for a part. Returns the duration of the audio that fits into the memory. If the gateway is full, this
   * is the duration that fits into the unused memory of the stream's own share. It is in whole seconds, like all
   * reservations. Returns undefined if the stream has ended.
   */
  async #takeMemory(heldMs: () => number): Promise<number | undefined> {
    const { partMs } = this.#parts;
    while (!this.#stopped) {
      if (this.#share.resize(heldMs() + partMs)) return partMs;
      const freeSeconds = Math.floor((this.#share.audioMs - heldMs()) / 1000);
      if (freeSeconds > 0) return freeSeconds * 1000;
      await sleep(RETRY_MS);
    }
    return undefined;
  }

  /** Settles the current session and reserves the next one. */
  async #reserveNext(): Promise<Extension> {
    const { ledger, claims, metrics } = this.#parts;
    const { tenant, model, owner } = this.#handshake;
    const next = { tenant, sessionId: randomUUID(), chainId: this.#first.sessionId };
    // The ownership of the session is recorded before the session exists. Other gateways can then find and end the
    // session if this process dies.
    claims.take(next, owner);
    this.#next = next;
    const isOwned = await this.#retry(() => ledger.gateways.own(owner, next));
    const chained =
      isOwned === true ? await this.#retry(() => this.#chain(next.sessionId)) : { outcome: 'stale' as const };
    if (chained === undefined) return { outcome: 'stopped' };
    this.#next = undefined;
    if (chained.outcome !== 'ok') {
      claims.release(next.sessionId);
      this.#disown(next);
      return { outcome: isOwned === undefined ? 'stopped' : chained.outcome };
    }
    metrics.billedSeconds.add(this.#reservedMs / 1000, { model });
    metrics.tenantUsage.countBilled(tenant, this.#reservedMs / 1000);
    const before = this.#current;
    this.#current = next;
    this.#settledMs += this.#reservedMs;
    this.#reservedMs = chained.reservedMs;
    // The claim of the first session is kept, because the pool knows the stream by that session.
    if (before !== this.#first) {
      claims.release(before.sessionId);
      this.#disown(before);
    }
    return { outcome: 'ok', ms: chained.reservedMs };
  }

  #chain(nextId: string): Promise<Chained> {
    const { ledger, partMs } = this.#parts;
    const { tenant, owner } = this.#handshake;
    const [sessionId, chainId] = [this.#current.sessionId, this.#first.sessionId];
    return ledger.sessions.chain({ tenant, sessionId, owner, nextId, seconds: partMs / 1000, chainId });
  }

  /**
   * Repeats a request until it succeeds. Logs each error except those of an unavailable Redis. Returns undefined if the
   * stream ends before the request succeeds.
   */
  async #retry<T>(request: () => Promise<T>): Promise<T | undefined> {
    while (!this.#stopped) {
      try {
        return await request();
      } catch (err) {
        if (!(err instanceof LedgerUnavailable)) {
          const { sessionId: session_id, tenant } = this.#current;
          this.#parts.logger.error({ err, session_id, tenant }, 'a stream could not be continued in a next session');
        }
        await sleep(RETRY_MS);
      }
    }
    return undefined;
  }

  /** Removes an ownership record. If the removal fails, the next reconciliation with the ledger removes the record. */
  #disown(part: OwnedStream): void {
    this.#parts.ledger.gateways.disown(this.#handshake.owner, part).catch(() => undefined);
  }
}
