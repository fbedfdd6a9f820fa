import { LedgerUnavailable } from '../../redis/link.ts';
import type { RedisLink } from '../../redis/link.ts';
import type { Command } from './machine.ts';

/** A stream that a process serves, and the id under which the process has joined. */
export interface ServedStream {
  readonly sessionId: string;
  readonly gateway: string;
}

/** Code of a process: the tasks that it can start, and what an invariant may know about it. */
export interface Actor {
  /** Names of the tasks that the process may start now. A task is started at most once. */
  tasks: () => readonly string[];
  start: (task: string) => Promise<unknown>;
  /** Streams that the process serves at this moment. */
  serves: () => readonly ServedStream[];
  /** Sessions that the process has cancelled. A session is listed only after Redis has replied to the cancellation. */
  cancelled: () => readonly string[];
  /** Everything that the process remembers while no task runs, as text. Undefined if that is not known. */
  memory: () => string | undefined;
}

/** Creates the code of a process, which sends its commands on the connection `link`. */
export type CreateActor = (link: RedisLink) => Actor;

/** An event inside one process. Messages are numbered in the order in which the process sends them. */
export type LocalEvent =
  | { readonly do: 'start'; readonly task: string }
  | { readonly do: 'receive'; readonly message: number; readonly reply: unknown }
  | { readonly do: 'time out'; readonly message: number };

/** State of a process after a list of events. */
export interface ProcessState {
  readonly number: number;
  readonly events: readonly LocalEvent[];
  /** Messages without a reply, by their number. */
  readonly sent: ReadonlyMap<number, Command>;
  readonly tasks: readonly string[];
  readonly serves: readonly ServedStream[];
  readonly cancelled: readonly string[];
  /** First error with which a task failed. Undefined if none has failed. */
  readonly error: Error | undefined;
  /** Everything that the process remembers. Undefined while a task runs, or if it is not known. */
  readonly memory: string | undefined;
}

/**
 * One simulated process. Its code is asynchronous, and its state cannot be copied. The list of its events therefore
 * represents its state. The code runs again from the start to find out what it does after one more event. The result of
 * each list is stored, so that no list runs twice. Two lists lead to the same state if no task runs after them and the
 * process remembers the same after both.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly #create: CreateActor;
  readonly #states = new Map<string, Promise<ProcessState>>();
  readonly #idle = new Map<string, ProcessState>();
  #count = 0;

  constructor(name: string, create: CreateActor) {
    this.name = name;
    this.#create = create;
  }

  start(): Promise<ProcessState> {
    return this.#reach('', []);
  }

  /** Returns the state after one more event. */
  after(state: ProcessState, event: LocalEvent): Promise<ProcessState> {
    return this.#reach(`${state.number} ${JSON.stringify(event)}`, [...state.events, event]);
  }

  #reach(key: string, events: readonly LocalEvent[]): Promise<ProcessState> {
    let state = this.#states.get(key);
    if (state === undefined) {
      state = replay(this.#create, this.#count++, events).then((reached) => this.#canonical(reached));
      this.#states.set(key, state);
    }
    return state;
  }

  #canonical(state: ProcessState): ProcessState {
    if (state.memory === undefined) return state;
    const known = this.#idle.get(state.memory);
    if (known === undefined) this.#idle.set(state.memory, state);
    return known ?? state;
  }
}

async function replay(create: CreateActor, number: number, events: readonly LocalEvent[]): Promise<ProcessState> {
  const sent = new Map<number, Command>();
  const waiting = new Map<number, { resolve: (reply: unknown) => void; reject: (error: Error) => void }>();
  const started = new Set<string>();
  let messages = 0;
  let running = 0;
  let error: Error | undefined;
  const send = (command: Command) =>
    new Promise<unknown>((resolve, reject) => {
      sent.set(messages, command);
      waiting.set(messages++, { resolve, reject });
    });
  const actor = create(linkOver(send));
  for (const event of events) {
    if (event.do === 'start') {
      started.add(event.task);
      running++;
      actor
        .start(event.task)
        .catch((cause: unknown) => (error ??= toError(cause)))
        .finally(() => running--);
    } else {
      const call = waiting.get(event.message);
      sent.delete(event.message);
      if (event.do === 'receive') call?.resolve(event.reply);
      else call?.reject(new LedgerUnavailable('simulated: no reply'));
    }
    // All code that depends on the event runs before this promise resolves.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const tasks = actor.tasks().filter((task) => !started.has(task));
  const remembered = running > 0 || sent.size > 0 ? undefined : actor.memory();
  const memory = remembered === undefined ? undefined : `${[...started].sort().join()} ${remembered}`;
  return { number, events, sent, tasks, serves: [...actor.serves()], cancelled: [...actor.cancelled()], error, memory };
}

const toError = (cause: unknown) => (cause instanceof Error ? cause : new Error('a task failed', { cause }));

/** Creates a connection that passes each command to `send`. */
export function linkOver(send: (command: Command) => Promise<unknown>): RedisLink {
  return {
    ready: true,
    run: (script, key, args) => send({ name: script.name, script, args: [key, ...args.map(String)] }),
    send: (_key, [name = '', ...args]) => send({ name, args }),
    nodes: () => Promise.reject(new Error('a simulated process cannot list nodes')),
    close: () => Promise.resolve(),
  };
}
