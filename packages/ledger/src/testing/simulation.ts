import { randomUUID } from 'node:crypto';
import { createTenant, request } from '../../../../test/support/ledger.ts';
import { createSteppedLedger } from '../../../../test/support/stepped-clock.ts';
import type { SteppedLedger } from '../../../../test/support/stepped-clock.ts';
import { FaultyLink } from './faulty-link.ts';
import type { Fault } from './faulty-link.ts';
import type { RedisLink } from '../redis/link.ts';
import { SECONDS, SimulatedGateway } from './simulated-gateway.ts';
import type { ClientSession } from './simulated-gateway.ts';

export const MODEL = 'm';
export const CREDIT_MS = 600_000;
/**
 * Duration that is longer than the sum of the longest deadline of a session, two leases and the retry time of a reaper.
 */
const QUIET_MS = 900_000;

/** One step of a schedule. Numbers choose a gateway, session, stream, worker or tenant. */
export type Step =
  | { do: 'create'; tenant: number }
  | { do: 'open'; gateway: number; session: number; freezeAfter?: number | undefined }
  | { do: 'place'; gateway: number; stream: number; fault?: Fault | undefined }
  | { do: 'chain'; gateway: number; stream: number; fault?: Fault | undefined; freezeAfter?: number | undefined }
  | { do: 'end'; gateway: number; stream: number; outcome: 'completed' | 'failed' }
  | { do: 'lose settlement'; gateway: number; stream: number; disowns: boolean }
  | { do: 'join' }
  | { do: 'freeze'; gateway: number; commands: number }
  | { do: 'thaw'; gateway: number }
  | { do: 'kill'; gateway: number }
  | { do: 'renew' | 'reconcile' | 'reap'; gateway: number }
  | { do: 'fault'; gateway: number; fault: Fault }
  | { do: 'deliver' }
  | { do: 'register' | 'kill worker' | 'remove worker'; worker: number }
  | { do: 'pass' | 'jump'; ms: number };

/** Gateways, clients, workers and clock of one schedule, with a separate ledger. */
export class Simulation {
  readonly ledger: SteppedLedger;
  readonly tenants: string[] = [];
  readonly #prefix: string;
  readonly #link: RedisLink;
  readonly #gateways: SimulatedGateway[] = [];
  readonly #sessions: ClientSession[] = [];
  readonly #workers = new Set<string>();

  private constructor(link: RedisLink) {
    this.#link = link;
    this.#prefix = `live-${randomUUID()}`;
    this.ledger = createSteppedLedger(link, { prefix: this.#prefix });
  }

  static async start(link: RedisLink): Promise<Simulation> {
    const simulation = new Simulation(link);
    for (let i = 0; i < 2; i++) {
      simulation.tenants.push(await createTenant(simulation.ledger, CREDIT_MS, { concurrentSessions: 3 }));
    }
    await simulation.ledger.pools.configure(MODEL, { canGrow: true });
    await simulation.#worker('register', 'w0');
    await simulation.#join();
    return simulation;
  }

  /** Kills all gateways, so that their pending work ends. */
  close(): void {
    for (const { faulty } of this.#gateways) faulty.kill();
  }

  async take(step: Step): Promise<void> {
    if ('gateway' in step) return this.#gateway(pick(this.#gateways, step.gateway), step);
    switch (step.do) {
      case 'create':
        return this.#create(pick(this.tenants, step.tenant));
      case 'join':
        await this.#join();
        return;
      case 'deliver':
        for (const { faulty } of this.#gateways) await faulty.deliver();
        return;
      case 'register':
      case 'kill worker':
      case 'remove worker':
        return this.#worker(step.do, `w${step.worker}`);
      case 'pass':
        return this.#pass(step.ms);
      case 'jump':
        return this.ledger.step(step.ms);
    }
  }

  async #gateway(gateway: SimulatedGateway | undefined, step: Extract<Step, { gateway: number }>): Promise<void> {
    if (gateway === undefined) return;
    const { faulty } = gateway;
    const streamId = 'stream' in step ? (pick([...gateway.streams.keys()], step.stream) ?? '') : '';
    switch (step.do) {
      case 'open': {
        const session = pick(this.#sessions, step.session);
        if (step.freezeAfter !== undefined && !faulty.isDead) faulty.freeze(step.freezeAfter);
        if (session !== undefined) await gateway.do(() => gateway.open(session));
        return;
      }
      case 'place':
        if (step.fault !== undefined) faulty.addFault(step.fault);
        return gateway.do(() => gateway.place(streamId));
      case 'chain':
        if (step.fault !== undefined) faulty.addFault(step.fault);
        if (step.freezeAfter !== undefined && !faulty.isDead) faulty.freeze(step.freezeAfter);
        return gateway.do(() => gateway.chain(streamId));
      case 'end':
        return gateway.do(() => gateway.end(streamId, step.outcome));
      case 'lose settlement': {
        const tenant = gateway.streams.get(streamId)?.tenant;
        if (tenant === undefined || faulty.isFrozen || faulty.isDead) return;
        const restore = await this.#snapshot(tenant);
        return gateway.do(() =>
          gateway.end(streamId, 'completed', async () => {
            await restore();
            return step.disowns;
          }),
        );
      }
      case 'freeze':
        faulty.freeze(step.commands);
        return;
      case 'thaw':
        faulty.thaw();
        return faulty.attempt(Promise.all(gateway.pending));
      case 'kill':
        faulty.kill();
        return;
      case 'fault':
        faulty.addFault(step.fault);
        return;
      case 'renew':
      case 'reconcile':
      case 'reap':
        return gateway.do(() => gateway[step.do]());
    }
  }

  /** Ends everything that still runs, and lets time pass until every session must have ended. */
  async settle(): Promise<void> {
    for (const { faulty } of this.#gateways) {
      faulty.clearFaults();
      faulty.thaw();
    }
    const living = this.#gateways.filter(({ faulty }) => !faulty.isDead);
    for (const gateway of living) {
      await Promise.all(gateway.pending);
      for (const id of [...gateway.streams.keys()]) await gateway.end(id, 'completed');
    }
    for (const { faulty } of this.#gateways) await faulty.deliver();
    const last = await this.#join();
    // The first steps of the clock are as small as in normal operation. The later steps are larger.
    for (let passedMs = 0, stepMs = 4000; passedMs < QUIET_MS; passedMs += stepMs) {
      if (passedMs > 40_000) stepMs = 70_000;
      await this.#pass(stepMs);
      for (const gateway of [...living, last]) {
        await gateway.renew();
        await gateway.reconcile();
      }
      await last.reap();
    }
  }

  async #create(tenant: string | undefined): Promise<void> {
    if (tenant === undefined) return;
    const asked = request(tenant, { model: MODEL, seconds: SECONDS });
    const result = await this.ledger.sessions.reserve(asked);
    if (result.outcome !== 'ok') return;
    const { sessionId, expiresAtMs } = result.reservation;
    await this.ledger.pools.claim(MODEL, sessionId, expiresAtMs + 5000);
    await this.ledger.sessions.confirm(tenant, result.reservation);
    this.#sessions.push({ tenant, sessionId, model: MODEL });
  }

  async #join(): Promise<SimulatedGateway> {
    const faulty = new FaultyLink(this.#link);
    const gateway = new SimulatedGateway(createSteppedLedger(faulty.link, { prefix: this.#prefix }), faulty);
    await gateway.join();
    this.#gateways.push(gateway);
    return gateway;
  }

  /** Lets time pass. Then live workers renew their leases and the operator reads the load, as both do regularly. */
  async #pass(ms: number): Promise<void> {
    await this.ledger.step(ms);
    await this.ledger.pools.load(MODEL);
    for (const id of this.#workers) {
      if ((await this.ledger.workers.renew(MODEL, id)) === 'gone') await this.#worker('register', id);
    }
  }

  async #worker(what: 'register' | 'kill worker' | 'remove worker', id: string): Promise<void> {
    const { workers } = this.ledger;
    if (what === 'register') {
      await workers.register(MODEL, { id, address: `ws://${id}`, revision: 'r', slots: 2 });
      this.#workers.add(id);
    } else if (what === 'remove worker') {
      await workers.remove(MODEL, id);
      this.#workers.delete(id);
    } else {
      // A killed worker no longer renews its lease.
      this.#workers.delete(id);
    }
  }

  /**
   * Copies the current data of a tenant. The returned function restores it, like a failover that loses the last writes.
   */
  async #snapshot(tenant: string): Promise<() => Promise<void>> {
    const { link } = this.ledger;
    const list = async () => (await link.send('', ['KEYS', `${this.#prefix}:{t:${tenant}}:*`])) as string[];
    const names = await list();
    for (const name of names) await link.send('', ['COPY', name, `copy:${name}`, 'REPLACE']);
    return async () => {
      for (const name of await list()) await link.send('', ['DEL', name]);
      for (const name of names) await link.send('', ['RENAME', `copy:${name}`, name]);
    };
  }
}

function pick<T>(list: readonly T[], number: number): T | undefined {
  return list[number % Math.max(1, list.length)];
}
