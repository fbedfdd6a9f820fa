import { auditTimeOf } from '@svc-asr/ledger';
import type { AuditEntry } from '@svc-asr/ledger';
import type { AuditEntryView } from '../responses.ts';

/** The person or program that performs an act. */
export interface Actor {
  /** Id of the actor. The id of a developer starts with `developer:`, so that a purge can find and replace it. */
  readonly actor: string;
  /** Name for display. Null if there is none. */
  readonly name: string | null;
}

/**
 * An act for the audit log. `detail.failed` is true if the act failed. A failed act may have been performed in part.
 */
export interface PerformedAct extends Actor {
  /** Kind of the act, such as `tenant.grant`. */
  readonly action: string;
  /** Kind and name of the thing that the act is about, such as `tenant/acme`. */
  readonly target: string;
  readonly tenant: string | null;
  readonly requestId: string;
  /** Further facts, without secrets and personal data. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Returns an entry of the audit log as the admin API shows it. */
export function viewEntry(entry: AuditEntry): AuditEntryView {
  return {
    object: 'audit_entry',
    id: entry.id,
    at: new Date(auditTimeOf(entry)).toISOString(),
    actor: entry.actor,
    actor_name: entry.actorName,
    action: entry.action,
    target: entry.target,
    tenant: entry.tenant,
    request_id: entry.requestId,
    detail: entry.detail,
  };
}
