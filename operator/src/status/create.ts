import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { scopeOf } from '../kubernetes/cluster.ts';
import type { Cluster } from '../kubernetes/cluster.ts';
import type { LedgerGuard } from '../ledger/guard.ts';
import type { Notices } from '../notices.ts';
import { systemClock } from '../queue/clock.ts';
import type { OperatorSettings } from '../settings.ts';
import type { KubernetesSource } from '../source/kubernetes/source.ts';
import type { PoolManager } from '../workers/pool-manager.ts';
import { createGather } from './gather.ts';
import { ResourceStatusReporter } from './reporter.ts';
import type { StatusReporter } from './reporter.ts';
import { createStatusWriter } from './writer.ts';

export interface StatusParts {
  settings: OperatorSettings;
  cluster: Pick<Cluster, 'scopes'>;
  source: KubernetesSource;
  ledger: Pick<Ledger, 'accounts' | 'apiKeys'>;
  guard: Pick<LedgerGuard, 'missing' | 'ledgerId'>;
  pools: Pick<PoolManager, 'status'>;
  notices: Notices;
  logger: Logger;
}

/**
 * A round reports the status of all Tenants or ApiKeys. The interval of the rounds is this factor times the minimum
 * interval between two writes of slow fields. A report slightly before the end of the minimum interval could not write
 * the slow fields. They would then be written only in the next round.
 */
const INTERVAL_MARGIN = 1.05;

/** Wires together the components that write the status of resources in the cluster. */
export function createStatus({
  settings,
  cluster,
  source,
  ledger,
  guard,
  pools,
  notices,
  logger,
}: StatusParts): StatusReporter {
  const { STATUS_BALANCE_INTERVAL_MS, STATUS_LOAD_INTERVAL_MS, SCALING_INTERVAL_MS } = settings;
  const writer = createStatusWriter({
    scopeOf: (namespace) => scopeOf(cluster.scopes, namespace),
    object: (kind, name) => source.object(kind, name),
    slowMs: {
      ASRModel: STATUS_LOAD_INTERVAL_MS,
      Tenant: STATUS_BALANCE_INTERVAL_MS,
      ApiKey: STATUS_BALANCE_INTERVAL_MS,
    },
    nowMs: systemClock.nowMs,
  });
  const { accounts, apiKeys: keys } = ledger;
  const gather = createGather({ accounts, keys, guard, pools, source, current: writer.current, wallMs: Date.now });
  const balanceMs = STATUS_BALANCE_INTERVAL_MS * INTERVAL_MARGIN;
  const intervalMs = { ASRModel: SCALING_INTERVAL_MS, Tenant: balanceMs, ApiKey: balanceMs };
  return new ResourceStatusReporter({ source, writer, gather, intervalMs, notices, logger });
}
