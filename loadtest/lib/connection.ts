import { WebSocket } from 'k6/websockets';
import type { Role } from './plan.ts';
import type { Session } from './session.ts';
import { Track } from './track.ts';
import type { Observation, ServerEvent } from './track.ts';
import { callAfter } from './wait.ts';

const OPEN = 1;

/** Called when the expected event has arrived. After the timeout or the end of the stream, called with undefined. */
type Waiter = (observation: (Observation & { atMs: number }) | undefined) => void;

/** The WebSocket stream of one session. Records events in `track` and lets the caller wait for a kind of event. */
export class Connection {
  readonly track = new Track();
  readonly openedAtMs = Date.now();
  closeCode = 0;
  endedAtMs = 0;
  onDelta: (latencyMs: number) => void = () => undefined;
  readonly #socket: WebSocket;
  #isClosing = false;
  #waiter: { kind: Observation['kind']; done: Waiter } | undefined;
  readonly #unclaimed: (Observation & { atMs: number })[] = [];
  readonly #ended: Promise<void>;

  constructor({ url, protocols }: Session, role: Role) {
    this.#socket = new WebSocket(url, protocols, { tags: { name: 'stream', role } });
    this.#socket.onmessage = ({ data, timestamp }) => this.#receive(data, timestamp);
    // Records only that the connection failed, because the text of the error may quote sent data. While the socket
    // closes, k6 reports an error if it can no longer answer a ping. Errors during the close do not count, because the
    // close code shows whether the stream ended normally.
    this.#socket.onerror = () => {
      if (!this.#isClosing) this.track.faults.push('the connection failed');
    };
    this.#ended = new Promise((resolve) => {
      this.#socket.onclose = ({ code }) => {
        this.closeCode = code ?? 0;
        this.endedAtMs = Date.now();
        this.#waiter?.done(undefined);
        resolve();
      };
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  send(data: string | ArrayBuffer): void {
    if (this.isOpen) this.#socket.send(data);
  }

  /** Waits for the next event of a kind. Returns at once if such an event has arrived and was not returned before. */
  next(kind: Observation['kind'], withinMs: number): Promise<(Observation & { atMs: number }) | undefined> {
    const at = this.#unclaimed.findIndex((observation) => observation.kind === kind);
    if (at >= 0) return Promise.resolve(this.#unclaimed.splice(at, 1)[0]);
    if (this.endedAtMs > 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const cancel = callAfter(withinMs, () => this.#waiter?.done(undefined));
      const done: Waiter = (observation) => {
        cancel();
        this.#waiter = undefined;
        resolve(observation);
      };
      this.#waiter = { kind, done };
    });
  }

  /** Closes the stream with code 1000 if it is open, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.isOpen) this.#socket.close(1000);
    await this.#ended;
  }

  #receive(data: string, atMs: number): void {
    const observation = { ...this.track.receive(JSON.parse(data) as ServerEvent, atMs), atMs };
    if (observation.kind === 'delta') this.onDelta(observation.latencyMs);
    else if (observation.kind === this.#waiter?.kind) this.#waiter.done(observation);
    else if (observation.kind !== 'nothing') this.#unclaimed.push(observation);
  }
}
