import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { Cluster } from '../kubernetes/cluster.ts';
import { systemClock } from '../queue/clock.ts';
import type { OperatorSettings } from '../settings.ts';
import type { KubernetesSource } from '../source/kubernetes/source.ts';
import type { ResourceSource } from '../source/source.ts';
import { createConfigMapAnchor, createFileAnchor, createMemoryAnchor } from './anchor.ts';
import { createFileCheckpoints } from './checkpoints.ts';
import type { Checkpoints } from './checkpoints.ts';
import { createLedgerGuard } from './guard.ts';
import type { LedgerGuard } from './guard.ts';
import { buildPlan, rebuildLedger } from './rebuild.ts';
import type { RebuildOptions } from './rebuild.ts';
import type { Checkpoint } from './checkpoint.ts';

const DAY_MS = 86_400_000;

export interface LedgerParts {
  settings: OperatorSettings;
  ledger: Ledger;
  /** Undefined if resources come from files. */
  cluster: { cluster: Cluster; source: KubernetesSource } | undefined;
  source: ResourceSource;
  /** Throws if Redis may delete data by itself, or does not answer. */
  checkServer: () => Promise<void>;
  logger: Logger;
}

/** Wires together the components that detect a missing ledger and rebuild it on request. */
export function createLedgerProtection(parts: LedgerParts): { guard: LedgerGuard; checkpoints: Checkpoints } {
  const { settings, ledger, cluster, source, checkServer, logger } = parts;
  const { accounts, identity } = ledger;
  const tenants = () => source.list('Tenant');
  const checkpoints =
    cluster === undefined
      ? createFileCheckpoints({
          accounts,
          logger,
          intervalMs: settings.STATUS_BALANCE_INTERVAL_MS,
          file: `${settings.LEDGER_ID_FILE}.checkpoints.json`,
          tenants: () => (settings.LEDGER_ID_FILE === '' ? [] : tenants().map(({ metadata }) => metadata.name)),
          isSettled: () => source.unsettled() === undefined,
          retentionMs: settings.TENANT_RETENTION_DAYS * DAY_MS,
          isLedgerPresent: () => guard.missing() === undefined && guard.ledgerId() !== undefined,
        })
      : {
          of: (tenant: string) => statusCheckpoint(cluster.source, tenant),
          // Kubernetes deletes the checkpoint together with the Tenant, because it is part of the Tenant's status.
          countOf: () => Promise.resolve(0),
          remove: () => Promise.resolve(),
          start: () => Promise.resolve(),
          stop: () => undefined,
        };

  const rebuild: RebuildOptions = {
    accounts,
    identity,
    tenants,
    checkpointOf: checkpoints.of,
    isNewest: (tenant) => source.isNewest(tenant),
    logger,
  };
  const guard: LedgerGuard = createLedgerGuard({
    identity,
    anchor: anchorOf(settings, cluster?.cluster),
    rebuild: (ledgerId) => rebuildLedger(ledgerId, rebuild),
    showPlan: (ledgerId) => identity.showPlan(buildPlan(ledgerId, rebuild)),
    checkServer,
    stampSchema: () => ledger.schema.stamp(),
    validForMs: settings.LEDGER_INTERVAL_MS / 2,
    nowMs: systemClock.nowMs,
  });
  return { guard, checkpoints };
}

function anchorOf(settings: OperatorSettings, cluster: Cluster | undefined) {
  if (cluster !== undefined) return createConfigMapAnchor(cluster.api, settings.LEDGER_CONFIG_MAP);
  return settings.LEDGER_ID_FILE === '' ? createMemoryAnchor() : createFileAnchor(settings.LEDGER_ID_FILE);
}

/** Returns the checkpoint of a tenant, which is stored in `status.credits` of the Tenant. */
function statusCheckpoint(source: KubernetesSource, tenant: string): Checkpoint | undefined {
  const { status } = (source.object('Tenant', tenant) ?? {}) as {
    status?: { credits?: Partial<Checkpoint> };
  };
  const { consumedMs, checkpointAt, limitedCorrections, budget } = status?.credits ?? {};
  if (consumedMs === undefined || checkpointAt === undefined) return undefined;
  return {
    consumedMs,
    checkpointAt,
    ...(limitedCorrections !== undefined && { limitedCorrections }),
    ...(budget !== undefined && { budget }),
  };
}
