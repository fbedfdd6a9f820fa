import { randomUUID } from 'node:crypto';
import type { Ledger, Owner } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from '../../repeat.ts';

export interface Lease {
  /** undefined while this process holds none. */
  owner: () => Owner | undefined;
  stop: () => Promise<void>;
}

const CHECK_INTERVAL_MS = 200;

/** Holds the lease of this gateway process: as long as it is renewed, nobody else touches its streams. */
export function holdLease(
  ledger: Ledger,
  logger: Logger,
  renewMs: number,
  { onLost, verifyLedger }: { onLost: () => void; verifyLedger: () => Promise<void> },
): Lease {
  let id = newId();
  let owner: Owner | undefined;
  let renewedAt = -Infinity;
  // More often than the lease is renewed: until it is held no stream can be taken.
  const stop = repeat(
    logger,
    () => Math.min(renewMs, CHECK_INTERVAL_MS),
    async () => {
      if (owner === undefined) {
        owner = await ledger.gateways.join(id);
      } else if (performance.now() - renewedAt < renewMs) {
        return;
      } else if (!(await ledger.gateways.renew(owner))) {
        // An emptied Redis knows of no lease; that says nothing of who holds the streams.
        if (!(await isVerified(verifyLedger))) return;
        // Told so, not merely unanswered: others have failed our streams.
        logger.error({ reason: id }, 'the lease was lost; its streams are over');
        owner = undefined;
        // Not the name under which others may still be failing the old streams: new ones must not be among those.
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
