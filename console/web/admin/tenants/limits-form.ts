import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { minutesOf, secondsOf } from '../minutes.ts';

type Spec = AdminTenantView['spec'];

/** Values of the fields for the limits of a tenant, as text. */
export interface LimitsForm {
  readonly concurrent: string;
  readonly sessionRate: string;
  readonly requestRate: string;
  /** Monthly budget in minutes. Empty without a budget. */
  readonly budget: string;
  readonly priority: string;
  readonly models: string;
}

/** Returns the values of the fields for a tenant. */
export function formOf({ limits, budget, priority = 'normal', models }: Spec): LimitsForm {
  return {
    concurrent: String(limits.concurrentSessions),
    sessionRate: String(limits.sessionsPerMinute),
    requestRate: String(limits.requestsPerMinute),
    budget: budget === undefined ? '' : minutesOf(budget.monthlyAudioSeconds),
    priority,
    models: models.join(', '),
  };
}

/** Parses the text of the field for models. Returns the model ids. */
export function modelsOf({ models }: LimitsForm): string[] {
  return models.split(/[\s,]+/).filter((model) => model !== '');
}

/**
 * Returns a merge patch that contains only the changed fields. Other fields keep the changes of other administrators.
 */
export function patchOf(before: LimitsForm, after: LimitsForm): Readonly<Record<string, unknown>> {
  const isChanged = (field: keyof LimitsForm) => before[field] !== after[field];
  const limits = {
    ...(isChanged('concurrent') && { concurrentSessions: Number(after.concurrent) }),
    ...(isChanged('sessionRate') && { sessionsPerMinute: Number(after.sessionRate) }),
    ...(isChanged('requestRate') && { requestsPerMinute: Number(after.requestRate) }),
  };
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(isChanged('budget') && { budget: budgetOf(after) }),
    ...(isChanged('priority') && { priority: after.priority }),
    ...(isChanged('models') && { models: modelsOf(after) }),
  };
}

function budgetOf({ budget }: LimitsForm) {
  return budget === '' ? null : { monthlyAudioSeconds: secondsOf(budget) };
}
