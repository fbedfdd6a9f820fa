import { SERVER_MESSAGES } from '@svc-asr/core';
import type { ServerMessage } from '@svc-asr/core';
import { checker, describeProblems } from '@svc-asr/core';
import type { TSchema } from 'typebox';
import { WebSocket } from 'ws';
import { postSession } from './gateway.ts';
import type { TestGateway } from './gateway.ts';

type Event<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

const CHECKS = Object.fromEntries(
  Object.entries<TSchema>(SERVER_MESSAGES).map(([type, schema]) => [type, checker(schema)]),
);

/** The response to a refused handshake. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(`refused: ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** A session as POST /v1/asr/sessions returned it. */
export interface SessionBody {
  id: string;
  websocket_url: string;
  websocket_protocols: string[];
}

/** A client that checks every event against the schema and stores all events in order. */
export class StreamClient {
  readonly events: ServerMessage[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  #taken = 0;
  readonly #waiters = new Set<() => void>();
  #over = false;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as ServerMessage;
      const checked = CHECKS[message.type]?.(message);
      if (checked?.ok !== true) {
        throw new Error(
          `not a server message: ${data.toString()}: ${checked ? describeProblems(checked.problems) : 'type'}`,
        );
      }
      this.events.push(message);
      for (const wake of this.#waiters) wake();
    });
    this.closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => {
        this.#over = true;
        for (const wake of this.#waiters) wake();
        resolve({ code, reason: reason.toString() });
      }),
    );
    socket.on('error', () => undefined);
  }

  /** Returns the next event of a type. Skips the events before it. */
  async next<T extends ServerMessage['type']>(type: T, timeoutMs = 60_000): Promise<Event<T>> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      while (this.#taken < this.events.length) {
        const event = this.events[this.#taken++];
        if (event?.type === type) return event as Event<T>;
      }
      if (this.#over || Date.now() > deadline) {
        const state = this.#over ? 'closed' : 'open';
        throw new Error(
          `no ${type} came; the stream is ${state}; its events end with ${JSON.stringify(this.events).slice(-2000)}`,
        );
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, Math.max(1, deadline - Date.now()));
        const waiters = this.#waiters;
        function done() {
          clearTimeout(timer);
          waiters.delete(done);
          resolve();
        }
        waiters.add(done);
      });
    }
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  audio(pcm: Buffer, frameBytes = 6400): void {
    for (let at = 0; at < pcm.length; at += frameBytes) this.socket.send(pcm.subarray(at, at + frameBytes));
  }

  close(): void {
    this.socket.close(1000);
  }
}

/** Creates a session and returns its body. */
export async function createSession(gateway: TestGateway, key: string, body?: object): Promise<SessionBody> {
  const answer = await postSession(gateway, key, body);
  if (answer.status !== 201) throw new Error(`no session: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as unknown as SessionBody;
}

/** Opens the stream of a session. Rejects with Refused if the handshake is refused. */
export function openStream(session: SessionBody, protocols = session.websocket_protocols): Promise<StreamClient> {
  const socket = new WebSocket(session.websocket_url, protocols, { perMessageDeflate: false });
  return opened(socket, new StreamClient(socket));
}

/** Resolves with the client when its socket is open. Rejects with Refused if the handshake is refused. */
export function opened<Client>(socket: WebSocket, client: Client): Promise<Client> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(client));
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (data: Buffer) => (text += data.toString()));
      response.on('end', () => {
        const { error } = JSON.parse(text) as { error: { code: string } };
        reject(new Refused(response.statusCode ?? 0, error.code));
      });
    });
  });
}
