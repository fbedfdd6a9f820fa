import { createHash } from 'node:crypto';
import { ErrorReply, RedisClient } from 'redis';
import { replaceClock } from '../../../../../test/support/stepped-clock.ts';
import type { Script } from '../../scripts.ts';
import { CLOCK_KEY, DUMP, RESTORE, Snapshot } from './snapshot.ts';

/** A command of a simulated process, as it is sent to Redis. */
export interface Command {
  /** Name of the script or of the plain command. */
  readonly name: string;
  readonly script?: Script;
  readonly args: readonly string[];
}

/** Thrown if Redis replies with an error. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Result of a command: its reply, and the number of the content of Redis after it. */
export interface Result {
  readonly after: number;
  readonly reply: unknown;
}

/** Changes the text of a script. Tests use it to show that the explorer finds a broken script. */
export type Mutation = (script: Script) => string;

/**
 * Called once for each distinct step of Redis. A step is a command with the content of Redis before and after it.
 * `before` and `after` are the numbers of these contents.
 */
export type OnStep = (before: number, command: Command, after: number) => void;

/**
 * Runs commands on a real Redis. Before each command, restores a content that Redis had earlier. Contents are numbered,
 * and equal contents have the same number. The same command on the same content runs only once.
 */
export class RedisMachine {
  readonly #client: InstanceType<typeof RedisClient>;
  readonly #mutate: Mutation;
  readonly #onStep: OnStep;
  readonly #snapshots: Snapshot[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #results = new Map<string, Promise<Result>>();
  readonly #loaded = new Map<string, Promise<string>>();
  #dump = '';
  #restore = '';

  private constructor(client: InstanceType<typeof RedisClient>, mutate: Mutation, onStep: OnStep) {
    this.#client = client;
    this.#mutate = mutate;
    this.#onStep = onStep;
  }

  static async connect(url: string, mutate: Mutation, onStep: OnStep): Promise<RedisMachine> {
    const client = new RedisClient({ url, RESP: 2, commandOptions: { timeout: 0 } });
    await client.connect();
    const machine = new RedisMachine(client, mutate, onStep);
    machine.#dump = (await client.sendCommand(['SCRIPT', 'LOAD', DUMP])) as unknown as string;
    machine.#restore = (await client.sendCommand(['SCRIPT', 'LOAD', RESTORE])) as unknown as string;
    return machine;
  }

  close(): void {
    this.#client.destroy();
  }

  /** Number of distinct contents of Redis. */
  get contents(): number {
    return this.#snapshots.length;
  }

  /** Number of distinct steps of Redis. */
  get steps(): number {
    return this.#results.size;
  }

  snapshot(number: number): Snapshot {
    const snapshot = this.#snapshots[number];
    if (snapshot === undefined) throw new Error(`there is no content ${number}`);
    return snapshot;
  }

  /** Returns the number of a content. A content that is not known yet gets the next number. */
  number(snapshot: Snapshot): number {
    const known = this.#numbers.get(snapshot.text);
    if (known !== undefined) return known;
    this.#snapshots.push(snapshot);
    this.#numbers.set(snapshot.text, this.#snapshots.length - 1);
    return this.#snapshots.length - 1;
  }

  /** Returns the result of a command that Redis runs when it has the content with the number `before`. */
  run(before: number, command: Command): Promise<Result> {
    const key = `${before} ${command.name} ${command.args.join(' ')}`;
    let result = this.#results.get(key);
    if (result === undefined) {
      result = this.#execute(before, command);
      this.#results.set(key, result);
    }
    return result;
  }

  async #execute(before: number, command: Command): Promise<Result> {
    const { script, name, args } = command;
    const words = script === undefined ? [name, ...args] : ['EVALSHA', await this.#load(script), '1', ...args];
    const content = this.snapshot(before);
    // The client sends the three commands together, and Redis runs no other command in between.
    const [, reply, dump] = await Promise.all([
      this.#client.sendCommand(['EVALSHA', this.#restore, '0', content.text]),
      this.#client.sendCommand(words).catch((error: unknown) => {
        if (error instanceof ErrorReply) return error;
        throw error;
      }),
      this.#client.sendCommand(['EVALSHA', this.#dump, '0']),
    ]);
    if (reply instanceof ErrorReply) throw new CommandFailed(`${name}: ${reply.message}`, { cause: reply });
    // Redis returns the members of a set in an order that differs from run to run.
    if (name === 'SMEMBERS') (reply as unknown as string[]).sort();
    const after = this.number(Snapshot.parse(dump as unknown as string));
    this.#onStep(before, command, after);
    return { after, reply };
  }

  /** Loads a script, changed so that it reads the simulated time. Returns the hash of the changed script. */
  #load(script: Script): Promise<string> {
    let loaded = this.#loaded.get(script.sha1);
    if (loaded === undefined) {
      const source = replaceClock(
        { ...script, source: this.#mutate(script) },
        `tonumber(redis.call('GET', '${CLOCK_KEY}'))`,
      );
      loaded = this.#client
        .sendCommand(['SCRIPT', 'LOAD', source])
        .then(() => createHash('sha1').update(source).digest('hex'));
      this.#loaded.set(script.sha1, loaded);
    }
    return loaded;
  }
}
