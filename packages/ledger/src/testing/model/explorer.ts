import { CommandFailed } from './machine.ts';
import type { Command, RedisMachine, Result } from './machine.ts';
import type { ProcessState, SimulatedProcess } from './process.ts';

/** A message that Redis has executed and whose reply is on its way. */
interface Reply {
  readonly process: number;
  readonly message: number;
  readonly reply: unknown;
}

/** A message whose sender no longer waits for the reply. Redis may execute it at any time, or never. */
interface LateMessage {
  readonly process: number;
  readonly command: Command;
}

/** A state of the whole system. */
export interface State {
  /** Number that identifies the content of Redis, which includes the clock. */
  readonly content: number;
  readonly processes: readonly ProcessState[];
  readonly replies: readonly Reply[];
  readonly late: readonly LateMessage[];
  /** Number of disturbances so far. */
  readonly disturbances: number;
  readonly parent: State | undefined;
  /** Step that led from the parent to this state. */
  readonly step: () => string;
}

/** A task of a process. */
type Task = readonly [process: number, task: string];

type Change = Partial<Pick<State, 'content' | 'processes' | 'replies' | 'late' | 'disturbances'>>;

/** Number of states whose steps are sent to Redis together. */
const STATES_AT_ONCE = 200;

/** Thrown if a state violates an invariant. The message lists the steps that led to it. */
export class Counterexample extends Error {
  override readonly name = 'Counterexample';
  readonly steps: readonly string[];

  constructor(violation: string, steps: readonly string[]) {
    super([violation, ...steps.map((step, at) => `  ${at + 1}. ${step}`)].join('\n'));
    this.steps = steps;
  }
}

/**
 * Explores every order of the steps of processes, of Redis and of the clock, breadth first. A run has a limited number
 * of disturbances. A disturbance is a message that times out, a reply that arrives after a later one, or time that
 * passes until a deadline. A crash is not a step. The exploration includes every order in which a process takes no
 * further steps, so crashes are not limited.
 */
export class Explorer {
  readonly #machine: RedisMachine;
  readonly #processes: readonly SimulatedProcess[];
  readonly #deadlines: (content: number) => readonly number[];
  readonly #maxDisturbances: number;

  constructor(
    machine: RedisMachine,
    processes: readonly SimulatedProcess[],
    deadlines: (content: number) => readonly number[],
    maxDisturbances: number,
  ) {
    this.#machine = machine;
    this.#processes = processes;
    this.#deadlines = deadlines;
    this.#maxDisturbances = maxDisturbances;
  }

  /**
   * Runs `tasks` one after another, without faults, and then starts the tasks in `started`. Returns the resulting
   * state.
   */
  async prepare(content: number, tasks: readonly Task[], started: readonly Task[]): Promise<State> {
    const processes = await Promise.all(this.#processes.map((process) => process.start()));
    const nothing = { replies: [], late: [], disturbances: 0, parent: undefined, step: () => '' };
    let state: State = { content, processes, ...nothing };
    for (const [process, task] of tasks) {
      state = await this.#start(state, process, task);
      for (;;) {
        const message = [...(state.processes[process]?.sent.keys() ?? [])][0];
        if (message === undefined) break;
        state = await this.#execute(state, process, message);
      }
    }
    for (const [process, task] of started) state = await this.#start(state, process, task);
    return { ...state, parent: undefined };
  }

  /**
   * Calls `visit` once for every state that can be reached. Calls `onStep` after every step, also if it leads to a
   * state that was reached before. Returns the number of states.
   */
  async explore(start: State, visit: (state: State) => Promise<void>, onStep: (state: State) => void): Promise<number> {
    const seen = new Set([keyOf(start)]);
    let level = [start];
    while (level.length > 0) {
      const next: State[] = [];
      for (let at = 0; at < level.length; at += STATES_AT_ONCE) {
        const states = level.slice(at, at + STATES_AT_ONCE);
        const successors = await Promise.all(states.map((state) => this.#successors(state)));
        await Promise.all(states.map(visit));
        for (const state of successors.flat()) {
          onStep(state);
          const key = keyOf(state);
          if (seen.has(key)) continue;
          seen.add(key);
          next.push(state);
        }
      }
      level = next;
    }
    return seen.size;
  }

  #successors(state: State): Promise<State[]> {
    const steps: Promise<State>[] = [];
    const isCalm = state.disturbances >= this.#maxDisturbances;
    state.processes.forEach(({ tasks, sent }, process) => {
      for (const task of tasks) steps.push(this.#start(state, process, task));
      // A connection keeps the order of its messages. Only the first message that Redis has not executed can be next.
      const isExecuted = (message: number) =>
        state.replies.some((each) => each.process === process && each.message === message);
      const message = [...sent.keys()].find((each) => !isExecuted(each));
      if (message === undefined) return;
      steps.push(this.#execute(state, process, message));
      if (isCalm) return;
      steps.push(this.#loseReply(state, process, message), this.#giveUp(state, process, message));
      // If the process waits for nothing else, a delay of the reply has the same effect as a delay of its next message.
      if (sent.size > 1 || tasks.length > 0) steps.push(this.#delayReply(state, process, message));
    });
    for (const reply of state.replies) steps.push(this.#receive(state, reply));
    for (const late of state.late) steps.push(this.#executeLate(state, late));
    if (!isCalm) {
      for (const ms of this.#deadlines(state.content)) steps.push(Promise.resolve(this.#pass(state, ms)));
    }
    return Promise.all(steps);
  }

  #name(process: number): string {
    return this.#processes[process]?.name ?? '';
  }

  #command(state: State, process: number, message: number): Command {
    const command = state.processes[process]?.sent.get(message);
    if (command === undefined) throw new Error(`${this.#name(process)} has not sent message ${message}`);
    return command;
  }

  async #run(state: State, command: Command): Promise<Result> {
    try {
      return await this.#machine.run(state.content, command);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      throw new Counterexample(`NO-ERROR: ${error.message}`, [
        ...stepsTo(state),
        `Redis executes ${describe(command)}`,
      ]);
    }
  }

  async #start(state: State, process: number, task: string): Promise<State> {
    const processes = await this.#changed(state, process, { do: 'start', task });
    return follow(state, { processes }, () => `${this.#name(process)} starts: ${task}`);
  }

  async #execute(state: State, process: number, message: number): Promise<State> {
    const command = this.#command(state, process, message);
    const { after, reply } = await this.#run(state, command);
    const processes = await this.#changed(state, process, { do: 'receive', message, reply });
    return follow(state, { content: after, processes }, () => this.#executed(process, command, reply));
  }

  /** Executes a message whose reply arrives later. Meanwhile the process may receive other replies. */
  async #delayReply(state: State, process: number, message: number): Promise<State> {
    const command = this.#command(state, process, message);
    const { after, reply } = await this.#run(state, command);
    return follow(
      state,
      {
        content: after,
        replies: [...state.replies, { process, message, reply }],
        disturbances: state.disturbances + 1,
      },
      () => `${this.#executed(process, command, reply)} is delayed`,
    );
  }

  #executed(process: number, command: Command, reply: unknown): string {
    return `Redis executes ${describe(command)} of ${this.#name(process)}, reply ${JSON.stringify(reply)}`;
  }

  async #receive(state: State, reply: Reply): Promise<State> {
    const { process, message } = reply;
    const processes = await this.#changed(state, process, { do: 'receive', message, reply: reply.reply });
    const replies = state.replies.filter((each) => each !== reply);
    const command = this.#command(state, process, message);
    return follow(
      state,
      { processes, replies },
      () => `${this.#name(process)} receives the reply to ${describe(command)}`,
    );
  }

  async #loseReply(state: State, process: number, message: number): Promise<State> {
    const command = this.#command(state, process, message);
    const { after, reply } = await this.#run(state, command);
    const processes = await this.#changed(state, process, { do: 'time out', message });
    return follow(
      state,
      { content: after, processes, disturbances: state.disturbances + 1 },
      () => `${this.#executed(process, command, reply)} is lost`,
    );
  }

  async #giveUp(state: State, process: number, message: number): Promise<State> {
    const command = this.#command(state, process, message);
    const processes = await this.#changed(state, process, { do: 'time out', message });
    return follow(
      state,
      { processes, disturbances: state.disturbances + 1, late: [...state.late, { process, command }] },
      () => `${this.#name(process)} no longer waits for ${describe(command)}, which may arrive later`,
    );
  }

  async #executeLate(state: State, late: LateMessage): Promise<State> {
    const { after, reply } = await this.#run(state, late.command);
    return follow(
      state,
      { content: after, late: state.late.filter((each) => each !== late) },
      () =>
        `Redis executes the late ${describe(late.command)} of ${this.#name(late.process)}, ` +
        `reply ${JSON.stringify(reply)} is lost`,
    );
  }

  #pass(state: State, nowMs: number): State {
    const before = this.#machine.snapshot(state.content);
    const content = this.#machine.number(before.at(nowMs));
    return follow(
      state,
      { content, disturbances: state.disturbances + 1 },
      () => `${(nowMs - before.nowMs) / 1000} s pass`,
    );
  }

  async #changed(
    state: State,
    process: number,
    event: Parameters<SimulatedProcess['after']>[1],
  ): Promise<ProcessState[]> {
    const code = this.#processes[process];
    const before = state.processes[process];
    if (code === undefined || before === undefined) throw new Error(`there is no process ${process}`);
    const after = await code.after(before, event);
    return state.processes.map((each, at) => (at === process ? after : each));
  }
}

/** Returns the steps that led to a state. */
export function stepsTo(state: State): string[] {
  const steps: string[] = [];
  for (let at = state; at.parent !== undefined; at = at.parent) steps.unshift(at.step());
  return steps;
}

function follow(state: State, change: Change, step: () => string): State {
  return { ...state, ...change, parent: state, step };
}

function keyOf({ content, processes, replies, late, disturbances }: State): string {
  const local = processes.map(({ number }) => number).join(',');
  const sent = replies.map(({ process, message, reply }) => `${process}.${message}.${JSON.stringify(reply)}`).sort();
  const delayed = late.map(({ process, command }) => `${process}.${describe(command)}`).sort();
  return [content, local, sent.join(), delayed.join(), disturbances].join(';');
}

function describe({ name, args }: Command): string {
  return `${name}(${args.join(' ')})`;
}
