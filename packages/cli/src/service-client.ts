import { setTimeout as sleep } from 'node:timers/promises';
import type { AsrSession } from '@svc-asr/core';
import { createClient, SvcAsrError } from '@svc-asr/client';
import type { Client, CreateSessionOptions } from '@svc-asr/client';
import type { Invocation } from './command.ts';
import { UsageError } from './exit.ts';
import { createNodeFetch } from './node-fetch.ts';

/** Maximum number of retries of a request, and longest wait between two of them. */
const MAX_RETRIES = 3;
const MAX_RETRY_WAIT_MS = 60_000;
/** Longest wait until other sessions of the account have ended and a new one can be created. */
const MAX_PLACE_WAIT_MS = 120_000;
/** Interval of the retries in the first QUICK_WAITS_MS. After the first interval, the command reports that it waits. */
const NOTE_AFTER_MS = 1000;
/** Time for which the command retries every NOTE_AFTER_MS. Later it retries after the time in Retry-After. */
const QUICK_WAITS_MS = 5000;

/** Creates the client of a command. It reports the waits between retries. */
export function clientOf(invocation: Invocation, { needsKey }: { needsKey: boolean }): Client {
  const { url, secret, caFile } = invocation.publicEndpoint();
  if (needsKey && secret === undefined) {
    throw new UsageError(
      `No API key is configured for ${url}. Set SVC_ASR_API_KEY, or api_key of the profile. The command accepts no secrets as arguments.`,
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
    onRetry: ({ error, waitMs }) => noteWait(invocation, error, waitMs),
  });
}

/**
 * Creates a session. Waits while the account has as many sessions as its limit allows. `options.signal` ends the wait.
 */
export async function createSessionPatiently(
  invocation: Invocation,
  client: Client,
  options: CreateSessionOptions,
): Promise<AsrSession> {
  for (let waitedMs = 0; ;) {
    try {
      return await client.createSession(options);
    } catch (error) {
      if (!(error instanceof SvcAsrError) || error.code !== 'concurrency_limit_exceeded') throw error;
      // The previous session of the same long audio stops counting against the concurrency limit within a second.
      const waitMs = waitedMs < QUICK_WAITS_MS ? NOTE_AFTER_MS : Math.max(1, error.retryAfterS ?? 1) * 1000;
      if (waitedMs + waitMs > MAX_PLACE_WAIT_MS) throw error;
      if (waitedMs === NOTE_AFTER_MS) noteWait(invocation, error, MAX_PLACE_WAIT_MS - waitedMs);
      await sleep(waitMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
      waitedMs += waitMs;
    }
  }
}

/** Reports a wait on standard error. */
function noteWait({ output, json }: Invocation, error: Error, longestMs: number): void {
  const seconds = Math.ceil(longestMs / 1000);
  const code = error instanceof SvcAsrError ? error.code : 'service_unreachable';
  if (json) output.noteJson({ waiting: { code, message: error.message, longest_seconds: seconds } });
  else output.note(`${error.message} (${code})\nWaiting up to ${seconds} s.`);
}
