import { freePort } from './ports.ts';

const AMOUNT = 50;

/** Returns ports that a jest worker gets one after the other. */
async function portsOf(worker: string): Promise<number[]> {
  process.env.JEST_WORKER_ID = worker;
  const ports: number[] = [];
  for (let count = 0; count < AMOUNT; count++) ports.push(await freePort());
  return ports;
}

test('freePort returns no port twice, neither in one jest worker nor in two', async () => {
  const own = process.env.JEST_WORKER_ID;
  try {
    const ports = [...(await portsOf('1')), ...(await portsOf('2')), ...(await portsOf('4'))];
    expect(new Set(ports).size).toBe(3 * AMOUNT);
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...ports)).toBeLessThan(32_000);
  } finally {
    if (own === undefined) delete process.env.JEST_WORKER_ID;
    else process.env.JEST_WORKER_ID = own;
  }
});
