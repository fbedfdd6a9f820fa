import { eventually } from '../../test/support/eventually.ts';
import { request } from '../../tools/start/request.ts';
import { openStreamGate } from './stream-gate.ts';

const TIMEOUT_MS = 30_000;

test('openStreamGate allows as many streams as there are declared slots, even if their number changes', async () => {
  let declared = 2;
  const gate = await openStreamGate(declared, { loadPercent: 100, maxStreams: Infinity }, () =>
    Promise.resolve(declared),
  );
  const send = async (path: string) =>
    (await request(`${gate.url}${path}`, { method: 'POST', timeoutMs: TIMEOUT_MS })).status;
  expect([await send('/start'), await send('/start'), await send('/start')]).toEqual([200, 200, 409]);
  declared = 1;
  await eventually('the lower number', TIMEOUT_MS, () => gate.range.least === 1);
  expect([await send('/end'), await send('/start')]).toEqual([200, 409]);
  expect([await send('/end'), await send('/start')]).toEqual([200, 200]);
  expect(gate.range).toEqual({ least: 1, most: 2 });
  gate.close();
});

test('if the number of slots decreases, openStreamGate ends only the streams above the new number, each at its next utterance', async () => {
  let declared = 3;
  const gate = await openStreamGate(declared, { loadPercent: 100, maxStreams: Infinity }, () =>
    Promise.resolve(declared),
  );
  const send = async (path: string) =>
    (await request(`${gate.url}${path}`, { method: 'POST', timeoutMs: TIMEOUT_MS })).status;
  for (let i = 0; i < 3; i++) expect(await send('/start')).toBe(200);
  expect(await send('/continue')).toBe(200);
  declared = 1;
  await eventually('the lower number', TIMEOUT_MS, () => gate.range.least === 1);
  expect([await send('/continue'), await send('/continue'), await send('/continue')]).toEqual([409, 409, 200]);
  expect([await send('/start'), await send('/end'), await send('/start')]).toEqual([409, 200, 200]);
  gate.close();
});

test('openStreamGate allows as many streams as the given share of the declared slots', async () => {
  const gate = await openStreamGate(3, { loadPercent: 50, maxStreams: Infinity }, () =>
    Promise.reject(new Error('unavailable')),
  );
  const send = async (path: string) =>
    (await request(`${gate.url}${path}`, { method: 'POST', timeoutMs: TIMEOUT_MS })).status;
  expect([await send('/start'), await send('/start')]).toEqual([200, 409]);
  gate.close();
});

test('openStreamGate allows at most maxStreams streams, even if more slots are declared', async () => {
  const gate = await openStreamGate(9, { loadPercent: 100, maxStreams: 1 }, () => Promise.resolve(9));
  const send = async (path: string) =>
    (await request(`${gate.url}${path}`, { method: 'POST', timeoutMs: TIMEOUT_MS })).status;
  expect([await send('/start'), await send('/start')]).toEqual([200, 409]);
  expect(gate.streams).toBe(1);
  gate.close();
});
