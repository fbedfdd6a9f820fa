/**
 * Response bodies that the pages read. The routes and the page scripts both use these types. If one side renames a
 * field, the other side no longer compiles. This file and the files in `responses` import only each other, because the
 * type check of the pages has no types of Node.
 */
import type { Role } from './responses/identity.ts';

export type * from './responses/history.ts';
export type * from './responses/identity.ts';

export interface KeyView {
  readonly object: 'api_key';
  readonly key_id: string;
  readonly prefix: string;
  readonly last_four: string;
  readonly tenant: string;
  readonly name: string;
  readonly created_at: string | null;
  readonly expires_at: string | null;
  /** What the key may do. Null if it may do everything. */
  readonly scopes: readonly string[] | null;
  /** Models that the key may use. Null if it may use all models of the tenant. */
  readonly models: readonly string[] | null;
  /** Id of the key that this key replaces. Null if this key was not created by a rotation. */
  readonly replaces: string | null;
}

export interface ListedKey extends KeyView {
  /** Id of the key that replaces this one. Null if there is none. */
  readonly replaced_by: string | null;
  readonly last_used_at: string | null;
  /** True if the key is defined in a file that the console must not change. */
  readonly read_only: boolean;
}

export interface CreatedKey extends KeyView {
  /** The API key itself. No other response contains it. */
  readonly key: string;
  /** True if gateways know the key already. Even then, they refuse it while its tenant is not active. */
  readonly active: boolean;
}

export interface TenantView {
  readonly object: 'tenant';
  readonly name: string;
  readonly created_at: string | null;
  readonly read_only: boolean;
  /** Why the application was declined. Null if it was not, or if no reason was given. */
  readonly decline_reason: string | null;
  /** The pending request for more credit. Null if there is none. */
  readonly credit_request: CreditRequestView | null;
  readonly spec: TenantSpecView;
}

export type TenantState = 'Waitlisted' | 'Active' | 'Suspended' | 'Declined';

/** The fields of a Tenant's spec that the pages show. Responses contain the whole spec. */
export interface TenantSpecView {
  readonly displayName: string;
  readonly state: TenantState;
  readonly contact?: ContactView;
  readonly models: readonly string[];
  readonly priority?: 'high' | 'normal' | 'low';
  readonly limits: {
    readonly concurrentSessions: number;
    readonly models?: readonly { readonly model: string; readonly concurrentSessions: number }[];
  };
}

/** The application that a developer sent. */
export interface ContactView {
  readonly name?: string;
  readonly email?: string;
  readonly organisation?: string;
  readonly use?: string;
}

export interface AccountView {
  readonly state: string;
  readonly credits: {
    readonly unit: 'audio_millisecond';
    readonly granted_ms: number;
    readonly available_ms: number;
    readonly reserved_ms: number;
    readonly consumed_ms: number;
    /** Monthly budget. It is a part of the credit above. Absent if the tenant has none. */
    readonly budget?: {
      readonly monthly_ms: number;
      readonly remaining_ms: number;
      readonly renews_at: string;
    };
  };
  readonly live_sessions: number;
}

/** The signed-in developer's own tenant. */
export interface OwnTenantView {
  /** True if a file defines the tenant, so that the console cannot change it. */
  readonly read_only: boolean;
  readonly object: 'tenant';
  readonly name: string;
  readonly display_name: string;
  readonly state: TenantState;
  readonly created_at: string | null;
  readonly contact: ContactView | null;
  readonly models: readonly string[];
  readonly limits: {
    readonly concurrent_sessions: number;
    readonly sessions_per_minute: number;
    readonly requests_per_minute: number;
  };
  /**
   * Null if the tenant never had a link, or if an older console created the link without an expiry. Empty if the link
   * was revoked.
   */
  readonly link_expires_at: string | null;
  readonly api_url: string;
  /** CA file that the code examples on the page use. Null if clients trust the certificate of the API without it. */
  readonly api_ca_file: string | null;
  /** Null until the operator has created the account, or while Redis is unavailable. */
  readonly account: AccountView | null;
  /** True if POST playground/sessions is available. */
  readonly playground: boolean;
  readonly ledger_available: boolean;
  readonly role: Role;
  /** True if the credit is used up, or soon will be. */
  readonly credit_low: boolean;
  /** The pending request for more credit. Null if there is none. */
  readonly credit_request: CreditRequestView | null;
  /** Why the application was declined. Null if it was not, or if no reason was given. */
  readonly decline_reason: string | null;
}

export interface UsageView {
  readonly object: 'daily_usage';
  readonly tenant: string;
  readonly days: number;
  readonly data: readonly {
    readonly day: string;
    readonly model: string;
    readonly sessions: number;
    readonly audio_ms: number;
    readonly billable_ms: number;
  }[];
}

export interface SessionView {
  readonly id: string;
  readonly model: string;
  readonly state: string;
  readonly audio_ms: number;
  readonly billable_ms: number;
  readonly created_at: string;
  readonly completed_at: string | null;
}

/** The last request of a developer for more credit. */
export interface CreditRequestView {
  readonly at: string;
  readonly message: string;
  readonly audio_seconds: number | null;
}

/** The signed-in administrator. */
export interface AdminSessionView {
  readonly object: 'admin_session';
  readonly actor: string;
  readonly name: string | null;
  readonly signed_in_by: 'token' | 'oidc';
  readonly role: 'administrator' | 'auditor';
  /** Null if the request was authenticated by the admin token itself. */
  readonly expires_at: string | null;
}

/** One entry of the audit log. */
export interface AuditEntryView {
  readonly object: 'audit_entry';
  readonly id: string;
  readonly at: string;
  /** `admin-token`, `oidc:ISSUER#SUBJECT` for an administrator, or a name that starts with `developer`. */
  readonly actor: string;
  readonly actor_name: string | null;
  /** Kind of the act, such as `tenant.grant`. */
  readonly action: string;
  /** Kind and name of the thing that the act is about, such as `tenant/acme`. */
  readonly target: string;
  /** Null if the act is about no tenant, or about one that was purged. */
  readonly tenant: string | null;
  readonly request_id: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditView {
  readonly object: 'list';
  readonly data: readonly AuditEntryView[];
  readonly has_more: boolean;
}

/** A private link, in the only response that contains it. */
export interface LinkView {
  readonly object: 'link';
  readonly tenant: string;
  readonly token: string;
  readonly path: string;
  readonly expires_at: string;
}

/**
 * The response to a developer who joined the waitlist. The token is that of the developer's private link to the
 * console. It is null for a user who is signed in with OpenID Connect, who needs no link.
 */
export interface ApplicationView {
  readonly object: 'application';
  readonly tenant: string;
  readonly state: 'Waitlisted';
  readonly token: string | null;
}
