import {
  AUDIO,
  chunkSamples,
  CLOSE_CODES,
  CLOSE_REASONS,
  ERRORS,
  PHRASE_LIMITS,
  STREAM_ERRORS,
  STREAM_LIMITS,
  STREAM_SUBPROTOCOL,
} from '@svc-asr/core';
import type { ErrorCode, StreamError } from '@svc-asr/core';
import { readGuide, readText } from './files.ts';
import { REMEDIES } from './openapi/remedies.ts';

/** Builds the guide to the HTTP API, in CommonMark with one section per `##`. */
export function httpGuide(): string {
  const samples = ['list-models.sh', 'create-session.sh'];
  return readGuide('http.md', {
    ...Object.fromEntries(samples.map((name) => [name, readText(`samples/${name}`)])),
    errors: errorRows(),
  });
}

/** Builds the guide to the stream, in CommonMark with one section per `##`. */
export function streamGuide(): string {
  const limits = Object.entries({ ...STREAM_LIMITS, ...PHRASE_LIMITS }).map(([name, value]): [string, string] => [
    name,
    grouped(value),
  ]);
  return readGuide('stream.md', {
    ...Object.fromEntries(limits),
    subprotocol: STREAM_SUBPROTOCOL,
    sampleRateHz: grouped(AUDIO.sampleRateHz),
    defaultContext: AUDIO.defaultContext.join(', '),
    chunkSamples: grouped(chunkSamples(AUDIO.defaultContext[1])),
    streamErrors: streamErrorRows(),
    closeCodes: closeCodeRows(),
    closeReasons: Object.entries(CLOSE_REASONS)
      .map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`)
      .join('\n'),
  });
}

function errorRows(): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, type } = ERRORS[code];
    return `| ${status} | \`${code}\` | \`${type}\` | ${REMEDIES[code]} |`;
  });
  return rows.join('\n');
}

function streamErrorRows(): string {
  const rows = Object.entries<StreamError>(STREAM_ERRORS).map(([code, { close, message, counts }]) => {
    const limit = code === 'rate_limited' ? STREAM_LIMITS.maxRateLimitedMessages : STREAM_LIMITS.maxInvalidMessages;
    const effect =
      close !== undefined ? `close ${close}` : counts ? `continues; the ${limit}th closes with 4400` : 'continues';
    return `| \`${code}\` | ${effect} | ${message} |`;
  });
  return rows.join('\n');
}

function closeCodeRows(): string {
  const advice = { never: 'no', 'new-session': 'new session', 'after-wait': 'new session, after a wait' } as const;
  const rows = Object.entries(CLOSE_CODES).map(
    ([code, { meaning, charged, retry, action }]) =>
      `| ${code} | ${meaning} | ${charged ? 'accepted audio' : 'nothing'} | ${advice[retry]} | ${action} |`,
  );
  return rows.join('\n');
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
