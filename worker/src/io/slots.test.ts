import { createLogger } from '@svc-asr/runtime';
import type { Engine } from '../engine/engine.ts';
import { limitSlots } from './slots.ts';

const SETTINGS = { SLOTS: 0, PROVIDER: 'cuda', UTILIZATION_PERCENT: 0, MEASURE_SECONDS: 20, TLS_CERT_FILE: '' };
const engine = { info: { slots: 1000, contexts: [{ context: [56, 13] }] } } as unknown as Engine;

async function limit(cost: number | undefined, count: number, changes: Partial<typeof SETTINGS> = {}) {
  let log = '';
  let measured = 0;
  const measureCost = () => {
    measured++;
    return Promise.resolve(cost);
  };
  const logger = createLogger('worker', 'info', { write: (line) => (log += line) });
  const slots = await limitSlots({ count, measureCost }, engine, { ...SETTINGS, ...changes }, logger);
  return { slots, log, measured };
}

test('limitSlots lowers the slots to the number of streams that all I/O threads together have time for', async () => {
  expect(await limit(0.002, 1)).toMatchObject({ slots: 425, log: expect.stringContaining('the I/O threads limit') });
  expect(await limit(0.002, 2)).toMatchObject({ slots: 850 });
  expect(await limit(0.002, 2, { UTILIZATION_PERCENT: 50 })).toMatchObject({ slots: 500 });
  expect(await limit(5, 1)).toMatchObject({ slots: 1 });
});

test('limitSlots keeps the slots of the engine if the I/O threads can serve more streams', async () => {
  expect(await limit(0.0001, 1)).toMatchObject({
    slots: 1000,
    log: expect.stringContaining('0.100 ms of an I/O thread'),
  });
});

test('if no audio arrived during the measurement, limitSlots keeps the slots of the engine and logs a warning', async () => {
  expect(await limit(undefined, 1)).toMatchObject({ slots: 1000, log: expect.stringContaining('"warn"') });
});

test('limitSlots measures nothing if SLOTS is set', async () => {
  expect(await limit(5, 1, { SLOTS: 7 })).toMatchObject({ slots: 1000, measured: 0 });
});
