import type { ServerMessage } from '@svc-asr/core';
import type { StreamClient } from '../../../stream/client/client.ts';
import type { OpenedStream } from '../../../stream/opened-stream.ts';
import type { Stream } from '../../../stream/stream.ts';

/** A stream that records its input. The test sends the messages of the stream, and ends and settles the stream. */
export class ScriptedStream {
  readonly session = { reservedMs: 300_000 };
  readonly client: StreamClient;
  readonly texts: Record<string, unknown>[] = [];
  audioBytes = 0;
  /** Reason with which the recognizer has requested the end. */
  reason: string | undefined;
  settle: () => void = () => undefined;

  constructor(client: StreamClient) {
    this.client = client;
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) this.audioBytes += data.length;
    else this.texts.push(JSON.parse(data.toString()) as Record<string, unknown>);
  }

  endWithFinal({ reason }: { reason: string }): void {
    this.reason = reason;
  }

  onClosed(): void {
    this.settle();
  }
}

export const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Adds a stream to the list and returns it as an opened stream. */
export function openScripted(streams: ScriptedStream[], stream: ScriptedStream): Promise<OpenedStream> {
  streams.push(stream);
  const settled = new Promise<void>((resolve) => (stream.settle = resolve));
  return Promise.resolve({ stream: stream as unknown as Stream, settled });
}

/** Calls `append`, which opens a stream, and sends `ready` for that stream. Returns the stream. */
export async function startScripted(streams: readonly ScriptedStream[], append: () => void): Promise<ScriptedStream> {
  append();
  await nextTurn();
  const stream = streams.at(-1);
  if (stream === undefined) throw new Error('no stream was opened');
  stream.client.send({ type: 'ready' } as ServerMessage);
  await nextTurn();
  return stream;
}
