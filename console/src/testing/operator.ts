import type { ApiKey, Tenant } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { endAfterFile } from '../../../test/support/leftovers.ts';
import { createFolderReader } from '../resources/folder.ts';

/** Substitutes for the operator: copies the resources of the folders to the ledger until it is stopped. */
export function startTestOperator(ledger: Ledger, folders: readonly string[]): { stop: () => Promise<void> } {
  const readFolder = createFolderReader();
  let known = new Map<string, Tenant | ApiKey>();
  const stopping = new AbortController();

  async function reconcile(): Promise<void> {
    const found = new Map<string, Tenant | ApiKey>();
    for (const { resources } of (await Promise.all(folders.map(readFolder))).flat()) {
      for (const resource of resources) {
        if (resource.kind === 'Tenant' || resource.kind === 'ApiKey') found.set(keyOf(resource), resource);
      }
    }
    const tenantsFirst = [...found.values()].sort((a, b) => b.kind.localeCompare(a.kind));
    // The reader returns the same object until its file changes.
    for (const resource of tenantsFirst) if (known.get(keyOf(resource)) !== resource) await apply(ledger, resource);
    for (const [key, resource] of known) if (!found.has(key)) await remove(ledger, resource);
    known = found;
  }

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      // Redis may answer too late on a busy machine. As with the real operator, the next round tries again.
      await reconcile().catch((error: unknown) => {
        if (!(error instanceof LedgerUnavailable)) throw error;
      });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const stop = async () => {
    stopping.abort();
    await loop;
  };
  endAfterFile(stop);
  return { stop };
}

function keyOf({ kind, metadata }: Tenant | ApiKey): string {
  return `${kind}/${metadata.name}`;
}

async function apply(ledger: Ledger, resource: Tenant | ApiKey): Promise<void> {
  if (resource.kind === 'ApiKey') {
    const { keyId, tenant, hash, pepperId, expiresAt, scopes, models } = resource.spec;
    const expiresAtMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : null;
    await ledger.apiKeys.put(keyId, {
      tenant,
      hash,
      pepperId,
      expiresAtMs,
      ...(scopes !== undefined && { scopes }),
      ...(models !== undefined && { models }),
    });
    return;
  }
  const { grants, ...settings } = resource.spec;
  await ledger.accounts.configure(resource.metadata.name, settings);
  for (const { id, audioSeconds } of grants) {
    await ledger.accounts.grant(resource.metadata.name, id, audioSeconds * 1000);
  }
}

async function remove(ledger: Ledger, resource: Tenant | ApiKey): Promise<void> {
  if (resource.kind === 'ApiKey') await ledger.apiKeys.revoke(resource.spec.keyId);
  else await ledger.accounts.close(resource.metadata.name);
}
