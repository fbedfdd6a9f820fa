import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { NewWorker, WorkerRecord } from './pool-types.ts';

const REGISTER = loadScript('worker_register');
const RENEW = loadScript('worker_renew');
const REMOVE = loadScript('worker_remove');
const DRAIN = loadScript('worker_drain');
const LIST = loadScript('worker_list');

/** Creates the registry of the workers of each model. */
export function createWorkers(link: RedisLink, keys: RedisKeys, options: { leaseMs: number }) {
  return {
    /** Registers a worker. Also called to register it again after its lease has expired. */
    async register(model: string, worker: NewWorker): Promise<void> {
      const {
        id,
        address,
        furtherAddresses = [],
        revision,
        slots,
        device = '',
        tier = '',
        measuredSlots = slots,
        contexts = [],
      } = worker;
      const further = furtherAddresses.join(' ');
      const pairs = contexts.map((context) => context.join(',')).join(' ');
      const args = [id, address, revision, slots, options.leaseMs, further, device, tier, measuredSlots, pairs];
      await link.run(REGISTER, keys.pool(model), args);
    },

    /**
     * Renews the lease of a worker, and sets its slots if they are given. Returns `gone` if Redis has no record of the
     * worker, for example because its lease had expired. The worker must then register again.
     */
    async renew(model: string, id: string, slots?: number): Promise<'ok' | 'draining' | 'gone'> {
      const args = [id, options.leaseMs, ...(slots === undefined ? [] : [slots])];
      return (await link.run(RENEW, keys.pool(model), args)) as 'ok' | 'draining' | 'gone';
    },

    async remove(model: string, id: string): Promise<void> {
      await link.run(REMOVE, keys.pool(model), [id]);
    },

    /** Stops a worker from receiving new streams. */
    async drain(model: string, id: string): Promise<void> {
      await link.run(DRAIN, keys.pool(model), [id]);
    },

    /** Returns the workers with a valid lease, sorted by id. */
    async list(model: string): Promise<WorkerRecord[]> {
      const rows = (await link.run(LIST, keys.pool(model), [])) as unknown[][];
      return rows.map(toRecord).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}

function toRecord([
  id,
  lease,
  address,
  revision,
  slots,
  active,
  draining,
  further,
  device,
  tier,
  measured,
]: unknown[]): WorkerRecord {
  return {
    id: String(id),
    address: String(address),
    furtherAddresses: splitAddresses(String(further)),
    revision: String(revision),
    slots: Number(slots),
    measuredSlots: Number(measured),
    active: Number(active),
    draining: draining === 1,
    leaseUntilMs: Number(lease),
    ...(device !== '' && { device: String(device) }),
    ...(tier !== '' && { tier: String(tier) }),
  };
}

/** Splits the further addresses of a worker, which Redis stores separated by spaces. */
export function splitAddresses(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
