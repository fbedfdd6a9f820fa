import type { RedisLink } from '@svc-asr/ledger';
import { endAfterFile } from './leftovers.ts';

/** Resolves once the link is connected. */
export async function connected(link: RedisLink, timeoutMs = 10_000): Promise<RedisLink> {
  endAfterFile(link.close);
  const deadline = Date.now() + timeoutMs;
  while (!link.ready) {
    if (Date.now() > deadline) throw new Error('no connection to Redis');
    // After a command that got no reply, the link becomes ready only with the next successful command.
    await link.send('', ['PING']).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return link;
}
