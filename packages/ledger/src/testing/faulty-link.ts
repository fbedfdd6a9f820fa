import { LedgerUnavailable } from '../redis/link.ts';
import type { RedisLink } from '../redis/link.ts';

/**
 * Fault of a command. `lost`: the command runs, but its reply is lost. `late`: the caller gets no reply, and the
 * command runs later.
 */
export type Fault = 'lost' | 'late';

/** Redis connection of a simulated process, which can freeze, die and lose replies. */
export class FaultyLink {
  readonly link: RedisLink;
  isDead = false;
  readonly #faults: Fault[] = [];
  readonly #late: (() => Promise<unknown>)[] = [];
  #commandsUntilFreeze = Infinity;
  #resume: (() => void) | undefined;
  #thawed: Promise<void> | undefined;
  #onBlocked: (() => void) | undefined;

  constructor(link: RedisLink) {
    this.link = {
      ready: true,
      run: (...args) => this.#pass(() => link.run(...args)),
      send: (...args) => this.#pass(() => link.send(...args)),
      nodes: (...args) => this.#pass(() => link.nodes(...args)),
      close: () => Promise.resolve(),
    };
  }

  get isFrozen(): boolean {
    return this.#thawed !== undefined;
  }

  /** Freezes the process after it has sent `commands` more commands. */
  freeze(commands: number): void {
    this.#commandsUntilFreeze = commands;
  }

  thaw(): void {
    this.#commandsUntilFreeze = Infinity;
    this.#thawed = undefined;
    this.#resume?.();
  }

  kill(): void {
    this.isDead = true;
    this.thaw();
  }

  /** Applies a fault to the next command. */
  addFault(fault: Fault): void {
    this.#faults.push(fault);
  }

  clearFaults(): void {
    this.#faults.length = 0;
  }

  /** Runs the commands that were delayed by the fault `late`. */
  async deliver(): Promise<void> {
    for (const run of this.#late.splice(0)) await run().catch(() => undefined);
  }

  /**
   * Waits for work of this process. Also returns when the process freezes or dies, and then leaves the work pending.
   */
  async attempt(work: Promise<unknown>): Promise<void> {
    const blocked = new Promise<void>((resolve) => (this.#onBlocked = resolve));
    if (this.isFrozen || this.isDead) return;
    await Promise.race([work, blocked]);
  }

  async #pass<T>(send: () => Promise<T>): Promise<T> {
    if (this.#commandsUntilFreeze-- <= 0) {
      this.#thawed ??= new Promise((resolve) => (this.#resume = resolve));
    }
    while (this.#thawed !== undefined) {
      this.#onBlocked?.();
      await this.#thawed;
    }
    if (this.isDead) {
      this.#onBlocked?.();
      return new Promise<never>(() => undefined);
    }
    const fault = this.#faults.shift();
    if (fault === 'late') {
      this.#late.push(send);
      throw new LedgerUnavailable('simulated: no reply');
    }
    const reply = await send();
    if (fault === 'lost') throw new LedgerUnavailable('simulated: the reply was lost');
    return reply;
  }
}
