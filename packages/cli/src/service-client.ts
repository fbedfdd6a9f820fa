import { createClient } from '@svc-asr/client';
import type { Client } from '@svc-asr/client';
import type { Invocation } from './command.ts';
import { UsageError } from './exit.ts';
import { createNodeFetch } from './node-fetch.ts';

/** A user is waiting at the terminal, so the command retries less often than a server. */
const MAX_RETRIES = 2;
const MAX_RETRY_WAIT_MS = 10_000;

/** Creates the client of a command. */
export function clientOf(invocation: Invocation, { needsKey }: { needsKey: boolean }): Client {
  const { url, secret, caFile } = invocation.publicEndpoint();
  if (needsKey && secret === undefined) {
    throw new UsageError(
      `No API key is configured for ${url}. Set SVC_ASR_API_KEY. The command accepts no secrets as arguments.`,
    );
  }
  if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret)) {
    throw new UsageError('SVC_ASR_API_KEY contains invalid characters.');
  }
  return createClient({
    baseUrl: url,
    ...(needsKey && secret !== undefined ? { apiKey: secret } : {}),
    fetch: createNodeFetch(caFile),
    maxRetries: MAX_RETRIES,
    maxRetryWaitMs: MAX_RETRY_WAIT_MS,
  });
}
