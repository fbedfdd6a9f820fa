import { WebSocket } from 'k6/websockets';
import type { Role } from './plan.ts';
import type { Session } from './session.ts';
import { Track } from './track.ts';
import type { Observation, ServerEvent } from './track.ts';
import { callAfter } from './wait.ts';

const OPEN = 1;

/** Resolves with the observation that was waited for; undefined when the time is over or the stream has ended. */
type Waiter = (observation: (Observation & { atMs: number }) | undefined) => void;

/** A stream of a session: its track, and a way to wait for what comes. */
export class Connection {
  readonly track = new Track();
  readonly openedAtMs = Date.now();
  closeCode = 0;
  endedAtMs = 0;
  onDelta: (atMs: number, latencyMs: number) => void = () => undefined;
  readonly #socket: WebSocket;
  #isLeaving = false;
  #waiter: { kind: Observation['kind']; done: Waiter } | undefined;
  readonly #seen: (Observation & { atMs: number })[] = [];
  readonly #ended: Promise<void>;

  constructor({ url, protocols }: Session, role: Role) {
    this.#socket = new WebSocket(url, protocols, { tags: { name: 'stream', role } });
    this.#socket.onmessage = ({ data, timestamp }) => this.#take(data, timestamp);
    // The text of an error may quote what was sent; its kind is enough. After the last word k6 takes a ping that it can no
    // longer answer for an error: from then on the close code tells.
    this.#socket.onerror = () => {
      if (!this.#isLeaving) this.track.faults.push('the connection failed');
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

  /** Waits for the next event of a kind, also when it has come already. */
  next(kind: Observation['kind'], withinMs: number): Promise<(Observation & { atMs: number }) | undefined> {
    const at = this.#seen.findIndex((observation) => observation.kind === kind);
    if (at >= 0) return Promise.resolve(this.#seen.splice(at, 1)[0]);
    if (this.endedAtMs > 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const callOff = callAfter(withinMs, () => this.#waiter?.done(undefined));
      const done: Waiter = (observation) => {
        callOff();
        this.#waiter = undefined;
        resolve(observation);
      };
      this.#waiter = { kind, done };
    });
  }

  /** Closes as a client does that has all it wants; resolves when the service has answered. */
  async close(): Promise<void> {
    this.#isLeaving = true;
    if (this.isOpen) this.#socket.close(1000);
    await this.#ended;
  }

  #take(data: string, atMs: number): void {
    const observation = { ...this.track.receive(JSON.parse(data) as ServerEvent, atMs), atMs };
    if (observation.kind === 'delta') this.onDelta(atMs, observation.latencyMs);
    else if (observation.kind === this.#waiter?.kind) this.#waiter.done(observation);
    else if (observation.kind !== 'nothing') this.#seen.push(observation);
  }
}
