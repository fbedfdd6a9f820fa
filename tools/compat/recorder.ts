import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** What a client sent over one realtime connection. */
export interface RecordedConnection {
  /** Samples per second of the audio, which is PCM of 16 bit. */
  rate: number;
  /** Silence that ends an utterance. Undefined if the client commits utterances itself. */
  silenceMs: number | undefined;
  readonly audio: Buffer[];
  /** Bytes of audio before each commit. */
  readonly commits: number[];
}

export interface Recorder {
  /** Address of the proxy for clients. The paths below it are those of the service. */
  readonly url: string;
  readonly connections: readonly RecordedConnection[];
  readonly close: () => void;
}

interface ClientEvent {
  type: string;
  audio?: string;
  session?: {
    audio?: { input?: { format?: { rate?: number }; turn_detection?: { silence_duration_ms?: number } | null } };
  };
}

/** Silence that ends an utterance if the client enables turn detection without a duration. */
const DEFAULT_SILENCE_MS = 500;

/**
 * Starts a proxy that forwards realtime connections to the service and records their audio. Clients resample audio and
 * may lose some of it, so only this recording is exactly the audio that the service received.
 */
export async function startRecorder(serviceUrl: string): Promise<Recorder> {
  const connections: RecordedConnection[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (client, request) => {
    const recorded: RecordedConnection = { rate: 24_000, silenceMs: DEFAULT_SILENCE_MS, audio: [], commits: [] };
    connections.push(recorded);
    const headers = { authorization: request.headers.authorization ?? '' };
    const upstream = new WebSocket(serviceUrl.replace(/^http/, 'ws') + (request.url ?? ''), { headers });
    const waiting: string[] = [];
    client.on('message', (data: Buffer) => {
      const text = data.toString();
      record(recorded, JSON.parse(text) as ClientEvent);
      if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
      else waiting.push(text);
    });
    upstream.on('open', () => {
      for (const text of waiting) upstream.send(text);
    });
    upstream.on('message', (data: Buffer) => client.send(data.toString()));
    upstream.on('error', () => client.close(1011));
    client.on('close', () => upstream.close(1000));
    upstream.on('close', (code, reason) => client.close(code < 1004 || code > 1006 ? code : 1011, reason.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    connections,
    close: () => {
      for (const client of sockets.clients) client.terminate();
      server.close();
    },
  };
}

/** Adds an event of the client to the record of its connection. */
export function record(connection: RecordedConnection, { type, audio, session }: ClientEvent): void {
  if (type === 'input_audio_buffer.append') connection.audio.push(Buffer.from(audio ?? '', 'base64'));
  if (type === 'input_audio_buffer.commit') connection.commits.push(countBytes(connection));
  const { format, turn_detection: detection } = session?.audio?.input ?? {};
  connection.rate = format?.rate ?? connection.rate;
  if (detection !== undefined) {
    connection.silenceMs = detection === null ? undefined : (detection.silence_duration_ms ?? DEFAULT_SILENCE_MS);
  }
}

/** Returns the seconds of audio that a client sent. */
export function countSeconds(connection: RecordedConnection): number {
  return countBytes(connection) / 2 / connection.rate;
}

function countBytes({ audio }: RecordedConnection): number {
  return audio.reduce((sum, { length }) => sum + length, 0);
}
