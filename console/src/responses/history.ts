/** Responses about what a tenant did: usage, sessions and refused requests. */

/** Usage of a tenant by day, model and key. */
export interface UsageByKeyView {
  readonly object: 'list';
  /** First and last day, both included, as YYYY-MM-DD in UTC. */
  readonly from: string;
  readonly to: string;
  /** Number of these days. */
  readonly days: number;
  readonly data: readonly UsageRow[];
}

export interface UsageRow {
  readonly day: string;
  readonly model: string;
  /** Null for sessions of the playground, and for sessions that an earlier version of the service created. */
  readonly key_id: string | null;
  readonly source: 'api' | 'playground';
  readonly sessions: number;
  readonly audio_ms: number;
  readonly billable_ms: number;
}

/** A session as the list shows it. */
export interface SessionRow {
  readonly id: string;
  readonly model: string;
  readonly state: string;
  readonly audio_ms: number;
  readonly billable_ms: number;
  readonly created_at: string;
  readonly completed_at: string | null;
  /** Null for sessions without a key. */
  readonly key_id: string | null;
  readonly source: 'api' | 'playground';
  /** Code of the reason why the session ended. Null until it is known. */
  readonly end_reason: string | null;
  /** Close code of the WebSocket. Null without a stream, and until it is known. */
  readonly close_code: number | null;
  /** Reserved credit. Null for sessions that an earlier version of the service created. */
  readonly reserved_ms: number | null;
  /** Time from the creation to the end. Null until the end. */
  readonly duration_ms: number | null;
  /** Id of the request that created the session. Null if an earlier version of the service created it. */
  readonly request_id: string | null;
}

/** A session with the explanation of its charge. */
export interface SessionDetailView extends SessionRow {
  readonly object: 'session';
  readonly charge: {
    /** Rule by which the session was charged. `pending` until the session has ended. */
    readonly rule: 'rounded_up_to_second' | 'not_charged' | 'pending';
    readonly audio_ms: number;
    readonly billable_ms: number;
    /** Part of the reservation that was returned. Null until the end, and if `reserved_ms` is null. */
    readonly released_ms: number | null;
  };
}

/** One page of a list. `has_more` is true if there are further items. */
export interface PageOf<T> {
  readonly object: 'list';
  readonly data: readonly T[];
  readonly has_more: boolean;
}

/** A request to the public API that was refused. */
export interface RefusalView {
  readonly request_id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly key_id: string | null;
  readonly model: string | null;
}

/** A model that the tenant may use. */
export interface OwnModelView {
  readonly object: 'model';
  readonly id: string;
  /** Name of the language in English. */
  readonly language: string;
  readonly language_code: string;
  /** Contexts that a stream can select, as GET /v1/models lists them. */
  readonly contexts: readonly {
    readonly context_size: readonly [number, number];
    readonly chunk_ms: number;
    readonly default: boolean;
  }[];
  readonly max_audio_seconds: number;
  /** True if a worker is ready. Otherwise the first session waits until one has started. */
  readonly ready: boolean;
}
