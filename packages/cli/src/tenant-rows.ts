import { formatDuration, formatTime } from './duration.ts';

/** A tenant in a response of the admin API. */
export interface TenantAnswer {
  name: string;
  created_at: string | null;
  read_only: boolean;
  spec: {
    displayName: string;
    state: string;
    models: string[];
    priority?: string;
    limits: {
      concurrentSessions: number;
      sessionsPerMinute: number;
      requestsPerMinute: number;
      models?: { model: string; concurrentSessions: number }[];
    };
    grants: { id: string; audioSeconds: number }[];
  };
  ledger_available: boolean;
  account: {
    state: string;
    credits: {
      granted_ms: number;
      available_ms: number;
      reserved_ms: number;
      consumed_ms: number;
      budget?: { monthly_ms: number; remaining_ms: number; renews_at: string };
    };
    live_sessions: number;
  } | null;
}

/** Formats a tenant as rows of name and value. */
export function tenantRows({ spec, account, created_at: created, ledger_available: known }: TenantAnswer): string[][] {
  const { concurrentSessions, sessionsPerMinute, requestsPerMinute, models = [] } = spec.limits;
  return [
    ['display name', spec.displayName],
    ['state', spec.state],
    ['created', formatTime(created, '-')],
    ['models', spec.models.join(', ')],
    ['priority', spec.priority ?? 'normal'],
    ['concurrent sessions', String(concurrentSessions)],
    ...models.map((limit) => [`concurrent sessions of ${limit.model}`, String(limit.concurrentSessions)]),
    ['sessions per minute', String(sessionsPerMinute)],
    ['requests per minute', String(requestsPerMinute)],
    ...spec.grants.map(({ id, audioSeconds }) => [`grant ${id}`, formatDuration(audioSeconds * 1000)]),
    ...accountRows(account, known),
  ];
}

function accountRows(account: TenantAnswer['account'], known: boolean): string[][] {
  if (account === null) return [['account', known ? 'not in Redis yet' : 'unknown: Redis is unavailable']];
  const {
    granted_ms: granted,
    available_ms: available,
    reserved_ms: reserved,
    consumed_ms: consumed,
    budget,
  } = account.credits;
  return [
    ['granted', formatDuration(granted)],
    ['available', formatDuration(available)],
    ['reserved', formatDuration(reserved)],
    ['consumed', formatDuration(consumed)],
    ...(budget === undefined
      ? []
      : [
          ['monthly budget', formatDuration(budget.monthly_ms)],
          ['budget remaining', formatDuration(budget.remaining_ms)],
          ['budget renews', formatTime(budget.renews_at, '-')],
        ]),
    ['live sessions', String(account.live_sessions)],
  ];
}
