import { createAdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { formatTime } from '../duration.ts';

interface Model {
  name: string;
  served: boolean;
  revision: string | null;
  canary: { revision: string; percent: number } | null;
  conditions: { type: string; status: string; reason: string; message: string }[];
  pool: { slots: number; active: number; waiting: number; workers: unknown[] } | null;
}

interface Health {
  redis: { reachable: boolean; latency_ms: number | null; nodes: { used_bytes: number; limit_bytes: number }[] };
  resources: { kind: string; reachable: boolean };
  gateways: { id: string; streams: number; free_streams: number | null }[] | null;
  queues: { model: string; waiting: number; active: number; slots: number; workers: number }[] | null;
  operator: { holder: string; renewed_at: string } | null;
  waiting_audit_entries: number;
}

const UNKNOWN = 'unknown';

const models: Command = {
  words: ['admin', 'models'],
  args: [],
  summary: 'Show the models with their workers, slots, streams and queue.',
  api: 'admin',
  options: {},
  run: async ({ json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('GET', '/models');
    if (json) {
      output.json(answer);
      return;
    }
    const { data, ledger_available: isKnown } = answer as { data: Model[]; ledger_available: boolean };
    output.table(
      ['MODEL', 'SERVED', 'WORKERS', 'STREAMS', 'WAITING', 'REVISION', 'CANARY', 'PROBLEMS'],
      data.map(({ name, served: isServed, pool, revision, canary, conditions }) => [
        name,
        isServed ? 'yes' : 'no',
        pool === null ? UNKNOWN : String(pool.workers.length),
        pool === null ? UNKNOWN : `${pool.active}/${pool.slots}`,
        pool === null ? UNKNOWN : String(pool.waiting),
        revision ?? '-',
        canary === null ? '-' : `${canary.revision} ${canary.percent} %`,
        problemsOf(conditions),
      ]),
      { optional: ['CANARY', 'REVISION', 'SERVED'] },
    );
    if (!isKnown) output.note('Redis is unavailable, so workers and streams are unknown.');
  },
};

/** Status that makes a condition a problem, by type of the condition. */
const PROBLEMS: Readonly<Record<string, string>> = { Available: 'False', ArtifactReady: 'False', Degraded: 'True' };

function problemsOf(conditions: Model['conditions']): string {
  const found = conditions.filter(({ type, status }) => PROBLEMS[type] === status);
  return found.length === 0 ? '-' : found.map(({ type, reason }) => `${type}: ${reason}`).join(', ');
}

const health: Command = {
  words: ['admin', 'health'],
  args: [],
  summary: 'Show the health of Redis, resources, gateways, queues and the operator.',
  api: 'admin',
  options: {},
  run: async ({ json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('GET', '/health');
    if (json) output.json(answer);
    else output.table(['PART', 'STATUS'], healthRows(answer as Health));
  },
};

function healthRows({
  redis,
  resources,
  gateways,
  queues,
  operator,
  waiting_audit_entries: waiting,
}: Health): string[][] {
  const memory = redis.nodes.map(({ used_bytes: used, limit_bytes: limit }) => {
    const mib = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;
    return limit === 0 ? mib(used) : `${mib(used)} of ${mib(limit)}`;
  });
  return [
    ['Redis', redis.reachable ? `reachable in ${redis.latency_ms} ms` : 'unreachable'],
    ...(memory.length === 0 ? [] : [['Redis memory', memory.join(', ')]]),
    ['resources', `${resources.kind}, ${resources.reachable ? 'reachable' : 'unreachable'}`],
    ...(gateways ?? []).map(({ id, streams, free_streams: free }) => [
      `gateway ${id}`,
      `${streams} streams, ${free ?? UNKNOWN} free`,
    ]),
    ...(queues ?? []).map(({ model, waiting: queued, active, slots, workers }) => [
      `model ${model}`,
      `${workers} workers, ${active}/${slots} streams, ${queued} waiting`,
    ]),
    ['operator', operatorStatus(operator, resources.kind)],
    ['audit entries that wait for Redis', String(waiting)],
  ];
}

function operatorStatus(operator: Health['operator'], kind: string): string {
  if (operator !== null) return `${operator.holder}, ${formatTime(operator.renewed_at, '-')}`;
  // Without Kubernetes, the operator holds no lease, so the console does not know its name.
  return kind === 'files' ? 'holds no lease: resources are in files' : UNKNOWN;
}

const signOutAll: Command = {
  words: ['admin', 'sign-out-all'],
  args: [],
  summary: 'Sign all administrators out of the page. The admin token stays valid.',
  api: 'admin',
  options: {},
  run: async ({ json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('DELETE', '/sessions');
    if (json) output.json(answer);
    else output.line('Signed all administrators out.');
    if (!(answer as { applied: boolean }).applied) {
      output.note('Redis is unavailable. Other consoles accept the sessions until Redis is available.');
    }
  },
};

export const PLATFORM_COMMANDS: readonly Command[] = [models, health, signOutAll];
