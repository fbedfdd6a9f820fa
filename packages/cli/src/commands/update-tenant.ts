import { createAdminApi, NOT_APPLIED } from '../admin-api.ts';
import type { Command, Invocation } from '../command.ts';
import { UsageError } from '../exit.ts';
import { parseWhole } from '../expiry.ts';
import { parseModelLimits } from '../model-limits.ts';

/** Value of `--model-limit` that removes the limits of all models. */
const NO_LIMITS = 'none';

export const update: Command = {
  words: ['admin', 'tenants', 'update'],
  args: ['NAME'],
  summary: 'Change a tenant. Only the fields of the given flags change.',
  api: 'admin',
  examples: ['svc-asr admin tenants update acme --priority high --model-limit svc-asr-kikuyu-v1=5'],
  options: {
    'display-name': { value: 'TEXT', help: 'Display name of the tenant.' },
    state: { value: 'STATE', help: 'Waitlisted, Active, Suspended or Declined.' },
    model: {
      value: 'MODEL',
      help: 'Model that the tenant may use, or * for all. Repeat the flag for several models. Replaces the list.',
      multiple: true,
    },
    priority: { value: 'PRIORITY', help: 'Order of streams that wait for a worker: high, normal or low.' },
    'budget-seconds': { value: 'N', help: 'Audio credit per month, in seconds. 0 removes the budget.' },
    'concurrent-sessions': { value: 'N', help: 'Maximum number of concurrent sessions.' },
    'model-limit': {
      value: 'MODEL=N',
      help: `Maximum number of concurrent sessions of a model. Repeat the flag for several models. Replaces the limits of all models; "${NO_LIMITS}" removes them.`,
      multiple: true,
    },
    'sessions-per-minute': { value: 'N', help: 'Maximum number of new sessions per minute.' },
    'requests-per-minute': { value: 'N', help: 'Maximum number of requests per minute.' },
  },
  run: async (invocation) => {
    const { json, output, adminEndpoint, argument } = invocation;
    const body = changesOf(invocation);
    const path = `/tenants/${encodeURIComponent(argument('NAME'))}`;
    const answer = await createAdminApi(adminEndpoint()).call('PATCH', path, { body });
    if (json) output.json(answer);
    else output.line(`Changed the tenant ${argument('NAME')}.`);
    if (!(answer as { applied: boolean }).applied) output.note(NOT_APPLIED);
  },
};

/** Returns the merge patch of the spec. Undefined values are absent from the JSON, so they change nothing. */
function changesOf({ option, options }: Invocation): object {
  const names = Object.keys(update.options);
  if (names.every((name) => options(name).length === 0)) {
    throw new UsageError(`nothing to change: use at least one of --${names.join(', --')}`);
  }
  const whole = (name: string) => parseWhole(name, option(name));
  const budget = whole('budget-seconds');
  const models = options('model');
  return {
    displayName: option('display-name'),
    state: option('state'),
    models: models.length === 0 ? undefined : models,
    priority: option('priority'),
    budget: budget === 0 ? null : budget && { monthlyAudioSeconds: budget },
    limits: {
      concurrentSessions: whole('concurrent-sessions'),
      sessionsPerMinute: whole('sessions-per-minute'),
      requestsPerMinute: whole('requests-per-minute'),
      models: modelLimitsOf(options('model-limit')),
    },
  };
}

/** Returns the new limits of models, null to remove them, and undefined to keep them. */
function modelLimitsOf(values: readonly string[]): object | null | undefined {
  if (values.length === 0) return undefined;
  return values.length === 1 && values[0] === NO_LIMITS ? null : parseModelLimits(values);
}
