import type { Ledger, Owner } from '@svc-asr/ledger';
import { createLogger } from '@svc-asr/runtime';
import { eventually } from '../../../../test/support/eventually.ts';
import { AudioCapacity } from '../audio-memory/audio-capacity.ts';
import { holdLease } from './lease.ts';

/**
 * Holds a lease at a fake ledger. When the first lease is renewed, the ledger answers that this lease does not exist.
 * Renewals of later leases succeed.
 */
function hold(verifyLedger: () => Promise<void>) {
  const joined: Owner[] = [];
  let renewals = 0;
  let lost = 0;
  const gateways = {
    join: (id: string) => {
      const owner = { id, epoch: joined.length + 1 };
      joined.push(owner);
      return Promise.resolve(owner);
    },
    renew: ({ epoch }: Owner) => {
      renewals++;
      return Promise.resolve(epoch > 1 ? { freeElsewhere: 0 } : undefined);
    },
    leave: () => Promise.resolve(),
  };
  const ledger = { gateways } as unknown as Ledger;
  const onLost = () => lost++;
  const audioCapacity = new AudioCapacity({ freeStreams: 1 });
  const logger = createLogger('gateway', 'silent');
  const lease = holdLease(ledger, logger, { renewMs: 1, audioCapacity, onLost, verifyLedger });
  return { lease, joined, renewals: () => renewals, lost: () => lost };
}

test('holdLease registers the gateway under a new id after its lease was lost', async () => {
  const { lease, joined, lost } = hold(() => Promise.resolve());
  await eventually('a lease is held again', 30_000, () => lease.owner()?.epoch === 2);
  await lease.stop();
  expect(joined[1]?.id).not.toBe(joined[0]?.id);
  expect(lease.owner()).toEqual(joined[1]);
  expect(lost()).toBe(1);
});

test('if the ledger cannot be verified, holdLease keeps a lease that the ledger does not know, because Redis may have been emptied', async () => {
  const { lease, joined, renewals, lost } = hold(() => Promise.reject(new Error('emptied')));
  await eventually('the renewal was tried several times', 30_000, () => renewals() > 3);
  await lease.stop();
  expect([joined.length, lost(), lease.owner()]).toEqual([1, 0, joined[0]]);
});
