/** Responses for administrators. */

import type { AccountView, ContactView, CreditRequestView, LinkView, TenantState } from '../responses.ts';

/** A tenant as administrators see it. Lists of tenants contain neither `has_link` nor accounts. */
export interface AdminTenantView {
  readonly object: 'tenant';
  readonly name: string;
  readonly created_at: string | null;
  readonly read_only: boolean;
  readonly decline_reason: string | null;
  readonly credit_request: CreditRequestView | null;
  readonly spec: {
    readonly displayName: string;
    readonly state: TenantState;
    readonly contact?: ContactView;
    readonly models: readonly string[];
    readonly priority?: 'high' | 'normal' | 'low';
    readonly limits: {
      readonly concurrentSessions: number;
      readonly sessionsPerMinute: number;
      readonly requestsPerMinute: number;
    };
    readonly budget?: { readonly monthlyAudioSeconds: number };
    readonly grants: readonly { readonly id: string; readonly audioSeconds: number; readonly note?: string }[];
  };
  /** True if the tenant has a private link, which may have expired. The link itself is not stored. */
  readonly has_link?: boolean;
  readonly account?: AccountView | null;
  readonly ledger_available?: boolean;
}

/** A new private link or sign-in code. */
export interface AdminLinkView extends LinkView {
  /** Whole address. Null if CONSOLE_URL is not set. */
  readonly url: string | null;
}

/** Report of a purge: the data that it removed, and the data that remains, as counts by kind. */
export interface PurgeView {
  readonly live_sessions: number;
  readonly removed: Readonly<Record<string, number>>;
  readonly remaining: Readonly<Record<string, number>>;
  readonly complete: boolean;
}

/** A model, its resource and its pool. */
export interface ModelView {
  readonly object: 'model';
  readonly name: string;
  /** Null if neither a resource nor the catalogue of the gateways contains the model. */
  readonly language: string | null;
  readonly language_code: string | null;
  /** True if gateways offer the model. */
  readonly served: boolean;
  /** Revision that serves sessions. Null if it is unknown. */
  readonly revision: string | null;
  readonly canary: { readonly revision: string; readonly percent: number; readonly since: string } | null;
  readonly scaling: { readonly min: number; readonly max: number } | null;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly since: string;
  }[];
  /** Recent Kubernetes Events, newest first. */
  readonly events: readonly {
    readonly at: string;
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly count: number;
  }[];
  /** Null while Redis is unavailable. */
  readonly pool: PoolView | null;
}

/** The workers of a model and their load. */
export interface PoolView {
  readonly slots: number;
  /** Streams on workers. */
  readonly active: number;
  /** Sessions that have reserved capacity and have not connected yet. */
  readonly held: number;
  readonly waiting: number;
  /** Sessions that were refused and are expected to retry. */
  readonly refused: number;
  readonly workers: readonly {
    readonly id: string;
    readonly revision: string;
    readonly slots: number;
    readonly active: number;
    readonly draining: boolean;
    readonly device: string | null;
    readonly tier: string | null;
  }[];
  /**
   * Shares of new sessions by revision, in percent. Without a rollout, the only revision has 100. Empty until the
   * operator has published shares.
   */
  readonly shares: readonly { readonly revision: string; readonly percent: number }[];
}

export interface ModelListView {
  readonly object: 'list';
  readonly data: readonly ModelView[];
  readonly ledger_available: boolean;
}

/** Health of the parts of the service. */
export interface HealthView {
  readonly object: 'health';
  readonly redis: {
    readonly reachable: boolean;
    /** Null if Redis is unreachable. */
    readonly latency_ms: number | null;
    readonly nodes: readonly { readonly used_bytes: number; readonly limit_bytes: number; readonly policy: string }[];
    /** Whether Redis contains a ledger id. Its value is not checked. Null if Redis is unavailable. */
    readonly has_ledger: boolean | null;
  };
  readonly resources: {
    readonly kind: 'files' | 'cluster';
    readonly reachable: boolean;
    readonly latency_ms: number | null;
  };
  /** Null while Redis is unavailable. */
  readonly gateways:
    | readonly {
        readonly id: string;
        readonly streams: number;
        /** Number of further streams that the gateway can accept. Null if the gateway has not reported this number. */
        readonly free_streams: number | null;
        readonly lease_expires_at: string;
      }[]
    | null;
  /** Null while Redis is unavailable. */
  readonly queues:
    | readonly {
        readonly model: string;
        readonly waiting: number;
        readonly active: number;
        readonly slots: number;
        readonly workers: number;
      }[]
    | null;
  /** The leading operator. Null if it is unknown, as without a cluster. */
  readonly operator: { readonly holder: string; readonly renewed_at: string } | null;
  /** Audit entries that wait for Redis in this console. */
  readonly waiting_audit_entries: number;
}
