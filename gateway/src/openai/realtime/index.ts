import { maxConnectionsOf } from '../../server/connections.ts';
import type { GatewaySettings } from '../../settings.ts';
import { Realtime } from './realtime.ts';
import type { RealtimeOptions } from './realtime.ts';

export { isRealtime } from './target.ts';
export type { Realtime } from './realtime.ts';

type FromSettings =
  | 'secrets'
  | 'holdExtraMs'
  | 'noCapacityRetryS'
  | 'deadlineMs'
  | 'refusalsPerSecond'
  | 'idleMs'
  | 'pingMs'
  | 'lifetimeMs'
  | 'extraMs'
  | 'maxConnections';

export type RealtimeParts = Omit<RealtimeOptions, FromSettings>;

/** Creates the realtime connections of a gateway from its settings. */
export function createRealtime(settings: GatewaySettings, parts: RealtimeParts): Realtime {
  return new Realtime({
    ...parts,
    secrets: settings.SESSION_SECRETS,
    holdExtraMs: settings.SLOT_HOLD_EXTRA_MS,
    noCapacityRetryS: settings.NO_CAPACITY_RETRY_SECONDS,
    deadlineMs: settings.REQUEST_DEADLINE_MS,
    refusalsPerSecond: settings.HANDSHAKE_REFUSALS_PER_SECOND,
    idleMs: settings.STREAM_IDLE_MS,
    pingMs: settings.STREAM_PING_MS,
    lifetimeMs: settings.REALTIME_LIFETIME_MS,
    extraMs: settings.STREAM_LIFETIME_EXTRA_MS,
    maxConnections: maxConnectionsOf(settings.MAX_CONNECTIONS),
  });
}
