import { createClient } from '@svc-asr/client';
import type { Client } from '@svc-asr/client';
import type { Invocation } from './command.ts';
import { UsageError } from './exit.ts';
import { createNodeFetch } from './node-fetch.ts';

/** A person waits at the terminal: fewer repetitions than a server would make. */
const MAX_RETRIES = 2;
const MAX_RETRY_WAIT_MS = 10_000;

/** The client that a command uses. */
export function clientOf(invocation: Invocation, { needsKey }: { needsKey: boolean }): Client {
  const { url, secret, caFile } = invocation.publicEndpoint();
  if (needsKey && secret === undefined) {
    throw new UsageError(`No API key is known for ${url}. Set SVC_ASR_API_KEY; it is never taken as an argument.`);
  }
  if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret)) {
    throw new UsageError('SVC_ASR_API_KEY has characters that no key has.');
  }
  return createClient({
    baseUrl: url,
    ...(needsKey && secret !== undefined ? { apiKey: secret } : {}),
    fetch: createNodeFetch(caFile),
    maxRetries: MAX_RETRIES,
    maxRetryWaitMs: MAX_RETRY_WAIT_MS,
  });
}
