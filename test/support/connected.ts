import type { RedisLink } from '@svc-asr/ledger';

/** Resolves once a link has a connection. */
export async function connected(link: RedisLink, timeoutMs = 10_000): Promise<RedisLink> {
  const deadline = Date.now() + timeoutMs;
  while (!link.ready) {
    if (Date.now() > deadline) throw new Error('no connection to Redis');
    // Where a command had no answer, only one that has makes it ready again.
    await link.send('', ['PING']).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return link;
}
