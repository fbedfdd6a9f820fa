import { AudioCapacity } from './audio-capacity.ts';

const renewal = (freeElsewhere: number) => () => Promise.resolve({ freeElsewhere });

test('AudioCapacity.hasRoom is true before the first renewal of the lease, even if this gateway is full', () => {
  const capacity = new AudioCapacity({ freeStreams: 0 });
  expect([capacity.hasRoom, capacity.isOutdated]).toEqual([true, true]);
});

test.each([
  [0, 0, false],
  [1, 0, true],
  [0, 1, true],
  [0, Infinity, true],
])(
  'AudioCapacity.hasRoom with room for %d streams at this gateway and %d at other gateways is %p',
  async (here, elsewhere, hasRoom) => {
    const capacity = new AudioCapacity({ freeStreams: here });
    await capacity.exchange(renewal(elsewhere));
    expect(capacity.hasRoom).toBe(hasRoom);
  },
);

test('AudioCapacity subtracts the audio length of created sessions from the free audio memory until the gateway renews its lease', async () => {
  const capacity = new AudioCapacity({ freeStreams: 1 });
  await capacity.exchange(renewal(1));
  expect(capacity.isOutdated).toBe(false);
  capacity.countCreated(300);
  expect([capacity.hasRoom, capacity.isOutdated]).toEqual([true, true]);
  for (let created = 0; created < 4; created++) capacity.countCreated(60);
  expect(capacity.hasRoom).toBe(true);
  capacity.countCreated(60);
  expect(capacity.hasRoom).toBe(false);
  await capacity.exchange(renewal(1));
  expect([capacity.hasRoom, capacity.isOutdated]).toEqual([true, false]);
});

test('AudioCapacity counts a session that is longer than 300 s as one stream', async () => {
  const capacity = new AudioCapacity({ freeStreams: 1 });
  await capacity.exchange(renewal(1));
  capacity.countCreated(7200);
  expect(capacity.hasRoom).toBe(true);
  capacity.countCreated(7200);
  expect(capacity.hasRoom).toBe(false);
});

test('after a renewal, AudioCapacity still counts sessions that were created while this renewal was in progress', async () => {
  const capacity = new AudioCapacity({ freeStreams: 0 });
  await capacity.exchange(() => {
    capacity.countCreated(300);
    return Promise.resolve({ freeElsewhere: 1 });
  });
  expect(capacity.hasRoom).toBe(false);
});

test('AudioCapacity publishes how many more streams this gateway can accept, and isOutdated becomes true when this number changes from or to 0', async () => {
  const budget = { freeStreams: 2 };
  const capacity = new AudioCapacity(budget);
  const published: number[] = [];
  const exchange = () =>
    capacity.exchange((freeStreams) => {
      published.push(freeStreams);
      return Promise.resolve({ freeElsewhere: 9 });
    });
  await exchange();
  budget.freeStreams = 1;
  expect(capacity.isOutdated).toBe(false);
  budget.freeStreams = 0;
  expect(capacity.isOutdated).toBe(true);
  await exchange();
  expect(capacity.isOutdated).toBe(false);
  budget.freeStreams = 1;
  expect(capacity.isOutdated).toBe(true);
  expect(published).toEqual([2, 0]);
});

test('AudioCapacity keeps its last numbers if a renewal finds that the lease has expired', async () => {
  const capacity = new AudioCapacity({ freeStreams: 0 });
  await capacity.exchange(renewal(0));
  expect(await capacity.exchange(() => Promise.resolve(undefined))).toBe(false);
  expect(capacity.hasRoom).toBe(false);
});
