import type { Ledger, Owner } from '@svc-asr/ledger';
import { createLogger } from '@svc-asr/runtime';
import { eventually } from '../../../../test/support/eventually.ts';
import { holdLease } from './lease.ts';

/** A gateway whose lease Redis knows no more after it was joined once. */
function hold(verifyLedger: () => Promise<void>) {
  const joined: Owner[] = [];
  let asked = 0;
  let lost = 0;
  const gateways = {
    join: (id: string) => {
      const owner = { id, epoch: joined.length + 1 };
      joined.push(owner);
      return Promise.resolve(owner);
    },
    renew: ({ epoch }: Owner) => {
      asked++;
      return Promise.resolve(epoch > 1);
    },
    leave: () => Promise.resolve(),
  };
  const ledger = { gateways } as unknown as Ledger;
  const onLost = () => lost++;
  const lease = holdLease(ledger, createLogger('gateway', 'silent'), 1, { onLost, verifyLedger });
  return { lease, joined, asked: () => asked, lost: () => lost };
}

test('who has lost a lease goes on under another name: others may still be failing the streams of the old one', async () => {
  const { lease, joined, lost } = hold(() => Promise.resolve());
  await eventually('it holds a lease again', 20_000, () => lease.owner()?.epoch === 2);
  await lease.stop();
  expect(joined[1]?.id).not.toBe(joined[0]?.id);
  expect(lease.owner()).toEqual(joined[1]);
  expect(lost()).toBe(1);
});

test('a Redis that is not known to hold the ledger takes no lease away', async () => {
  const { lease, joined, asked, lost } = hold(() => Promise.reject(new Error('emptied')));
  await eventually('it has asked for a while', 20_000, () => asked() > 3);
  await lease.stop();
  expect([joined.length, lost(), lease.owner()]).toEqual([1, 0, joined[0]]);
});
