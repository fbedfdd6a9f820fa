import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../../tools/start/request.ts';

const POLL_MS = 250;
const TIMEOUT_MS = 5000;

/** Metric with the total slots of the ready workers of a pool. */
export const SLOTS_METRIC = 'svc_asr_pool_slots';

/**
 * Reads the total slots that the workers of a model declare. Waits until there is a worker, and throws if there is none
 * after `withinMs`. The slots come from the metrics of the operator. These metrics need no password and are available
 * wherever the service runs.
 */
export async function readDeclaredSlots(operatorUrl: string, model: string, withinMs: number): Promise<number> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    try {
      return await readOnce(operatorUrl, model);
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
    await sleep(POLL_MS);
  }
}

async function readOnce(operatorUrl: string, model: string): Promise<number> {
  const pages = await Promise.allSettled((await addressesOf(operatorUrl)).map(readMetrics));
  const read = pages.filter((page) => page.status === 'fulfilled').map(({ value }) => value);
  const [first] = pages;
  // Some addresses may refuse connections, such as ::1, or the address of an operator that is shutting down. This is an
  // error only if all addresses refuse connections.
  if (read.length === 0 && first?.status === 'rejected') throw first.reason;
  const slots = Math.max(0, ...read.map((page) => findSlots(page, model)));
  if (slots === 0)
    throw new Error(`the operator at ${operatorUrl} reports no worker of ${model}. It may be scaled to zero.`);
  return slots;
}

/**
 * Resolves all addresses of a host name. In a cluster, all operators share the name, and only the leader reports
 * workers.
 */
async function addressesOf(operatorUrl: string): Promise<string[]> {
  const { hostname } = new URL(operatorUrl);
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
  return found.map(({ address, family }) => {
    const one = new URL(operatorUrl);
    one.hostname = family === 6 ? `[${address}]` : address;
    return one.origin;
  });
}

async function readMetrics(origin: string): Promise<string> {
  const { status, body } = await request(`${origin}/metrics`, { timeoutMs: TIMEOUT_MS });
  if (status !== 200) throw new Error(`${origin}/metrics returned ${status}`);
  return body;
}

/** Returns the slots of a model in a page of metrics. 0 if the page has none for this model. */
export function findSlots(page: string, model: string): number {
  const line = page
    .split('\n')
    .find((each) => each.startsWith(`${SLOTS_METRIC}{`) && each.includes(`model="${model}"`));
  return Number(/\} (\S+)/.exec(line ?? '')?.[1] ?? 0);
}
