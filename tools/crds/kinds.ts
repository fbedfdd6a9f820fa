import type { Kind } from '@svc-asr/core';

/** A column of `kubectl get`. Columns of priority 1 are shown only by `-o wide`. */
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly priority?: 1;
}

/** Short name and columns of a kind in kubectl. */
interface KindNames {
  readonly shortName: string;
  readonly columns: readonly Column[];
  readonly scale?: Readonly<Record<'specReplicasPath' | 'statusReplicasPath' | 'labelSelectorPath', string>>;
}

const condition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;
const text = (name: string, jsonPath: string): Column => ({ name, type: 'string', jsonPath });
const number = (name: string, jsonPath: string): Column => ({ name, type: 'integer', jsonPath });
const wide = (column: Column): Column => ({ ...column, priority: 1 });
/**
 * Builds a column for times in the past, which kubectl shows as an age. Future times need a text column, or kubectl
 * shows them as invalid.
 */
const age = (name: string, jsonPath: string): Column => ({ name, type: 'date', jsonPath });
const AGE = age('Age', '.metadata.creationTimestamp');

/** Returns the plural name of a kind, as in URLs. */
export function pluralOf(kind: Kind): string {
  return `${kind.toLowerCase()}s`;
}

export const KIND_NAMES: Readonly<Record<Kind, KindNames>> = {
  ASRModel: {
    shortName: 'asrm',
    columns: [
      text('Ready', condition('Available', 'status')),
      text('Workers', '.status.workers'),
      text('Sessions', '.status.sessions'),
      number('Waiting', '.status.slots.waiting'),
      text('Revision', '.status.revision'),
      AGE,
      wide(text('Host', '.spec.hostedBy')),
      wide(text('Tiers', '.status.tiers')),
      wide(text('Language', '.spec.language')),
      wide(text('Mode', '.spec.scaling.mode')),
      wide(number('Min', '.spec.scaling.min')),
      wide(number('Max', '.spec.scaling.max')),
      wide(text('Reason', condition('Available', 'reason'))),
    ],
    scale: {
      specReplicasPath: '.spec.scaling.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  Tenant: {
    shortName: 'asrt',
    columns: [
      text('State', '.spec.state'),
      text('Available', '.status.credits.available'),
      text('Reserved', '.status.credits.reserved'),
      text('Consumed', '.status.credits.consumed'),
      text('Budget', '.status.credits.budget.remaining'),
      text('Renews', '.status.credits.budget.renewsAt'),
      number('Live', '.status.liveSessions'),
      AGE,
      wide(text('Name', '.spec.displayName')),
      wide(text('Priority', '.spec.priority')),
      wide(text('Ready', condition('Ready', 'status'))),
      wide(text('Reason', condition('Ready', 'reason'))),
    ],
  },
  ApiKey: {
    shortName: 'asrk',
    columns: [
      text('Tenant', '.spec.tenant'),
      text('Name', '.spec.displayName'),
      text('Last four', '.spec.lastFour'),
      // The spec of a key that never expires may contain null, which kubectl shows as <no value>.
      text('Expires', '.status.expires'),
      text('Ready', condition('Ready', 'status')),
      AGE,
      wide(text('Scopes', '.spec.scopes')),
      wide(text('Models', '.spec.models')),
      wide(age('Last used', '.status.lastUsedAt')),
      wide(text('Reason', condition('Ready', 'reason'))),
    ],
  },
  Member: {
    shortName: 'asru',
    columns: [
      text('Tenant', '.spec.tenant'),
      text('Role', '.spec.role'),
      text('Name', '.spec.name'),
      text('Email', '.spec.email'),
      text('Invited until', '.spec.invitation.expiresAt'),
      AGE,
      wide(text('Issuer', '.spec.issuer')),
      wide(text('Subject', '.spec.subject')),
      wide(text('Invited by', '.spec.invitation.invitedBy')),
    ],
  },
};
