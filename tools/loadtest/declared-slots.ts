import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from '../start/request.ts';

const POLL_MS = 250;
const TIMEOUT_MS = 5000;

/** What the operator tells of a pool: what its ready workers take together. */
export const SLOTS_METRIC = 'svc_asr_pool_slots';

/** The slots that a model's workers declared, or why they are not known. */
export type DeclaredSlots = { readonly slots: number } | { readonly problem: string };

/**
 * Reads the slots that the workers of a model declared, added up, from the metrics of the operator, which has them
 * wherever the service runs and asks for no password. Waits until there is a worker.
 */
export async function readDeclaredSlots(operatorUrl: string, model: string, withinMs: number): Promise<DeclaredSlots> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    const seen = await lookOnce(operatorUrl, model);
    if ('slots' in seen || performance.now() > deadlineMs) return seen;
    await sleep(POLL_MS);
  }
}

async function lookOnce(operatorUrl: string, model: string): Promise<DeclaredSlots> {
  try {
    const pages = await Promise.allSettled((await addressesOf(operatorUrl)).map(readMetrics));
    const read = pages.filter((page) => page.status === 'fulfilled').map(({ value }) => value);
    const [first] = pages;
    // Some of its addresses may lead nowhere: nobody listens on ::1, or an operator is just going.
    if (read.length === 0 && first?.status === 'rejected') throw first.reason;
    const slots = Math.max(0, ...read.map((page) => findSlots(page, model)));
    return slots > 0 ? { slots } : { problem: `the operator at ${operatorUrl} knows of no worker of ${model}` };
  } catch (error) {
    return { problem: `the operator does not tell: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The addresses behind a name: in a cluster all operators have the same, and only the leader knows of workers. */
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
  if (status !== 200) throw new Error(`${origin}/metrics answered ${status}`);
  return body;
}

/** The slots of a model in a page of metrics; 0 where it has none. */
export function findSlots(page: string, model: string): number {
  const line = page
    .split('\n')
    .find((each) => each.startsWith(`${SLOTS_METRIC}{`) && each.includes(`model="${model}"`));
  return Number(/\} (\S+)/.exec(line ?? '')?.[1] ?? 0);
}
