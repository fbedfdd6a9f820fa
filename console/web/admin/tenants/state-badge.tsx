import type { TenantState } from '../../../src/responses.ts';
import { texts } from '../../texts/index.ts';
import { Badge } from '../../ui/content.tsx';

const TONES = { Active: 'good', Suspended: 'bad', Waitlisted: 'warning', Declined: 'neutral' } as const;

/** The state of a tenant, with a colour. */
export function StateBadge({ state }: { state: TenantState }) {
  return <Badge tone={TONES[state]}>{texts.account.states[state]}</Badge>;
}
