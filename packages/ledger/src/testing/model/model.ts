import { AccountView, keys, TENANT } from './account-view.ts';
import { createModelLedger, gatewayActor } from './actors.ts';
import { Counterexample, Explorer, stepsTo } from './explorer.ts';
import type { State } from './explorer.ts';
import { leftovers, processViolations, stepViolations, violationsOf } from './invariants.ts';
import type { Violation } from './invariants.ts';
import { RedisMachine } from './machine.ts';
import type { Mutation } from './machine.ts';
import { linkOver, SimulatedProcess } from './process.ts';
import type { Scenario } from './scenarios.ts';
import { CLOCK_KEY, Snapshot, START_MS } from './snapshot.ts';

/** Size of an exploration. */
export interface Exploration {
  readonly states: number;
  /** Number of distinct contents of Redis. */
  readonly contents: number;
  /** Number of distinct steps of Redis. */
  readonly steps: number;
}

/**
 * Times that pass before the first and the second run of a reaper, after all processes have crashed. The first time
 * covers a lease, and the time until a reaper may continue the work of another reaper. The sum of both times also
 * covers the lifetime of a credential. Each time is at least 2 s longer than necessary.
 */
const QUIET_MS = [22_000, 69_000];

/** Explores a scenario. Throws a Counterexample if a state violates an invariant. */
export async function checkScenario(
  url: string,
  scenario: Scenario,
  disturbances: number,
  mutate: Mutation = ({ source }) => source,
): Promise<Exploration> {
  const model = new Model(scenario, disturbances);
  return model.check(url, mutate);
}

class Model {
  readonly #scenario: Scenario;
  readonly #disturbances: number;
  readonly #views = new Map<Snapshot, AccountView>();
  /** Violations by steps of Redis. A key is `BEFORE AFTER`: the numbers of Redis contents before and after the step. */
  readonly #stepViolations = new Map<string, Violation>();
  readonly #checked = new Set<number>();

  constructor(scenario: Scenario, disturbances: number) {
    this.#scenario = scenario;
    this.#disturbances = disturbances;
  }

  async check(url: string, mutate: Mutation): Promise<Exploration> {
    const machine = await RedisMachine.connect(url, mutate, (before, command, after) => {
      const views = [before, after].map((content) => this.#view(machine.snapshot(content))) as [
        AccountView,
        AccountView,
      ];
      for (const violation of stepViolations(views[0], command, views[1]))
        this.#stepViolations.set(`${before} ${after}`, violation);
    });
    try {
      const names = Object.keys(this.#scenario.processes);
      const processes = Object.entries(this.#scenario.processes).map(
        ([name, code]) => new SimulatedProcess(name, code),
      );
      const deadlines = (content: number) => deadlinesOf(machine.snapshot(content));
      const explorer = new Explorer(machine, processes, deadlines, this.#disturbances);
      const { before, sent } = this.#scenario;
      const tasks = (lines: readonly string[]) =>
        lines.map((line) => {
          const [name = '', task = ''] = line.split(': ');
          return [names.indexOf(name), task] as const;
        });
      const start = await explorer.prepare(await this.#createTenant(machine), tasks(before), tasks(sent));
      const states = await explorer.explore(
        start,
        (state) => this.#visit(machine, state),
        (state) => this.#checkStep(state),
      );
      return { states, contents: machine.contents, steps: machine.steps };
    } finally {
      machine.close();
    }
  }

  async #createTenant(machine: RedisMachine): Promise<number> {
    const run = new SequentialRun(machine, machine.number(new Snapshot([[CLOCK_KEY, 'string', String(START_MS), 0]])));
    const { accounts } = createModelLedger(run.link);
    const { concurrentSessions, creditSeconds } = this.#scenario;
    const limits = { concurrentSessions, sessionsPerMinute: 60_000, requestsPerMinute: 60_000 };
    await accounts.configure(TENANT, { displayName: 'A tenant', state: 'Active', models: ['*'], limits });
    await accounts.grant(TENANT, 'first', creditSeconds * 1000);
    return run.content;
  }

  #view(snapshot: Snapshot): AccountView {
    let view = this.#views.get(snapshot);
    if (view === undefined) {
      view = new AccountView(snapshot);
      this.#views.set(snapshot, view);
    }
    return view;
  }

  #checkStep(state: State): void {
    const violation = this.#stepViolations.get(`${state.parent?.content} ${state.content}`);
    if (violation !== undefined) fail(state, violation);
  }

  async #visit(machine: RedisMachine, state: State): Promise<void> {
    const snapshot = machine.snapshot(state.content);
    const view = this.#view(snapshot);
    for (const violation of processViolations(view, state.processes)) fail(state, violation);
    for (const { error } of state.processes)
      if (error !== undefined) fail(state, { id: 'NO-ERROR', what: error.message });
    if (this.#checked.has(state.content)) return;
    this.#checked.add(state.content);
    for (const violation of violationsOf(view)) fail(state, violation);
    await this.#quiesce(machine, state);
  }

  /** Checks that every session ends if all processes crash in this state and a new reaper runs. */
  async #quiesce(machine: RedisMachine, state: State): Promise<void> {
    const found: Violation[] = [];
    const run = new SequentialRun(machine, state.content, (before, after) => {
      const violation = this.#stepViolations.get(`${before} ${after}`);
      if (violation !== undefined) found.push(violation);
    });
    const reaper = gatewayActor('last', [])(run.link);
    for (const ms of QUIET_MS) {
      const { nowMs } = machine.snapshot(run.content);
      run.content = machine.number(machine.snapshot(run.content).at(nowMs + ms));
      await reaper.start('reap');
    }
    for (const { id, what } of [...found, ...leftovers(this.#view(machine.snapshot(run.content)))]) {
      const after = 'all processes crash, and another reaper runs after 22 s and after 91 s';
      throw new Counterexample(`${id}: ${what}`, [...stepsTo(state), after]);
    }
  }
}

/** Runs commands one after another, each on the content of Redis after the previous command. */
class SequentialRun {
  content: number;
  readonly link;

  constructor(machine: RedisMachine, content: number, onStep?: (before: number, after: number) => void) {
    this.content = content;
    let last: Promise<unknown> = Promise.resolve();
    this.link = linkOver((command) => {
      const reply = last.then(async () => {
        const result = await machine.run(this.content, command);
        onStep?.(this.content, result.after);
        this.content = result.after;
        return result.reply;
      });
      last = reply.catch(() => undefined);
      return reply;
    });
  }
}

function fail(state: State, { id, what }: Violation): never {
  throw new Counterexample(`${id}: ${what}`, stepsTo(state));
}

/** Returns the times to which the clock may advance: ends of leases, deadlines of sessions and marks of the reaper. */
function deadlinesOf(snapshot: Snapshot): number[] {
  const sets = [
    keys.gateways(),
    `${keys.gateways()}:dead`,
    keys.live(TENANT),
    ...snapshot.namesAfter('').filter((name) => name.endsWith(':due')),
  ];
  const times = sets.flatMap((name) => [...snapshot.map(name).values()].map(Number));
  return [...new Set(times)].filter((ms) => ms > snapshot.nowMs).sort((a, b) => a - b);
}
