import type { IncomingMessage } from 'node:http';
import { buildKubernetesError } from './answer.ts';
import type { AccessKeeper } from './access.ts';
import type { WatchEvent, WatchOptions } from './api.ts';
import { createDeadline } from './deadline.ts';
import { splitLines } from './lines.ts';
import { acceptOf } from './objects.ts';
import type { ResourceType } from './objects.ts';
import { buildPath } from './paths.ts';
import { buildNetworkError, readAnswer } from './transport.ts';
import type { Transport } from './transport.ts';

export interface WatchMeans {
  namespace: string;
  transport: Transport;
  access: Pick<AccessKeeper, 'renew'>;
  /** Timeout until the head of the response has arrived. */
  timeoutMs: number;
  onRequest: ((verb: string, code: number) => void) | undefined;
}

/**
 * Maximum size of an event. The API server accepts objects of up to 1.5 MiB, and an event is little larger than its
 * object.
 */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Returns the changes of the selected objects of a type, until the server ends the watch. Throws if the signal is
 * aborted. There are no retries here. The caller retries.
 */
export async function* watchObjects(
  { namespace, transport, access, timeoutMs, onRequest }: WatchMeans,
  type: ResourceType,
  { labelSelector, resourceVersion, timeoutSeconds, signal, onBytes }: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const what = `watch ${type.plural}`;
  const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, labelSelector };
  const deadline = createDeadline(timeoutMs, [signal]);
  let response: IncomingMessage | undefined;
  try {
    response = await transport.open({
      method: 'GET',
      path: buildPath(type, { namespace, query }),
      accept: acceptOf(type, false),
      signal: deadline.signal,
    });
    if (response.statusCode !== 200) {
      if (response.statusCode === 401) access.renew();
      throw buildKubernetesError(what, await readAnswer(response), Date.now());
    }
    deadline.lift();
    onBytes();
    onRequest?.('watch', 200);
    for await (const line of splitLines(reportBytes(response, onBytes), MAX_LINE_BYTES))
      yield JSON.parse(line) as WatchEvent;
  } catch (error) {
    const failure = buildNetworkError(what, deadline.signal.aborted ? deadline.signal.reason : error);
    if (response?.statusCode !== 200) onRequest?.('watch', failure.status);
    throw failure;
  } finally {
    deadline.clear();
    // This closes the connection of the watch if the caller stops reading.
    response?.destroy();
  }
}

async function* reportBytes(pieces: AsyncIterable<unknown>, onBytes: () => void): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    onBytes();
    yield piece as Buffer;
  }
}
