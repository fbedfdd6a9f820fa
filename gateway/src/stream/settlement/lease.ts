import { randomUUID } from 'node:crypto';
import type { Ledger, Owner } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from '../../repeat.ts';
import type { AudioCapacity } from '../audio-memory/audio-capacity.ts';

export interface Lease {
  /** Returns the current lease. Undefined while this process holds none. */
  owner: () => Owner | undefined;
  stop: () => Promise<void>;
}

/**
 * Maximum time between two checks of the lease. It is shorter than most renewal intervals, so that a lost lease is soon
 * replaced. No stream is accepted while there is no lease.
 */
const CHECK_INTERVAL_MS = 200;

/** Minimum time between two early renewals. If it were shorter, full gateways would put too much load on Redis. */
const EARLY_RENEW_MS = 1000;

export interface LeaseOptions {
  renewMs: number;
  /** Free audio memory. Each renewal publishes that of this gateway and reads that of the other gateways. */
  audioCapacity: Pick<AudioCapacity, 'isOutdated' | 'exchange'>;
  /** Called when the lease was lost. */
  onLost: () => void;
  verifyLedger: () => Promise<void>;
}

/**
 * Registers this process as a gateway and renews its lease. As long as the lease is valid, other gateways do not fail
 * the streams of this process.
 */
export function holdLease(ledger: Ledger, logger: Logger, options: LeaseOptions): Lease {
  const { renewMs, audioCapacity, onLost, verifyLedger } = options;
  let id = newId();
  let owner: Owner | undefined;
  let renewedAt = -Infinity;
  const nextRenewMs = () => (audioCapacity.isOutdated ? Math.min(renewMs, EARLY_RENEW_MS) : renewMs);
  const renew = (current: Owner) =>
    audioCapacity.exchange((freeStreams) => ledger.gateways.renew(current, freeStreams));
  const stop = repeat(
    logger,
    () => Math.min(renewMs, CHECK_INTERVAL_MS),
    async () => {
      if (owner === undefined) {
        owner = await ledger.gateways.join(id);
      } else if (performance.now() - renewedAt < nextRenewMs()) {
        return;
      } else if (!(await renew(owner))) {
        // An emptied Redis contains no lease. In that case, no other gateway has failed the streams of this process.
        if (!(await isVerified(verifyLedger))) return;
        // Redis has answered that the lease is lost, so other gateways fail the streams of this process.
        logger.error({ reason: id }, 'the lease was lost; its streams fail');
        owner = undefined;
        // The process gets a new id. Other gateways may still be failing the streams of the old id, and must not fail
        // new streams.
        id = newId();
        onLost();
        owner = await ledger.gateways.join(id);
      }
      renewedAt = performance.now();
    },
  );
  return {
    owner: () => owner,
    stop: async () => {
      stop();
      if (owner !== undefined) await ledger.gateways.leave(owner);
    },
  };
}

function newId(): string {
  return `gateway-${randomUUID()}`;
}

function isVerified(verifyLedger: () => Promise<void>): Promise<boolean> {
  return verifyLedger().then(
    () => true,
    () => false,
  );
}
