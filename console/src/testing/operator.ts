import type { ApiKey, Tenant } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { endAfterFile } from '../../../test/support/leftovers.ts';
import { createFolderReader } from '../resources/folder.ts';

/**
 * Starts a substitute for the operator. The substitute copies the resources in the folders to the ledger until it is
 * stopped.
 */
export function startTestOperator(ledger: Ledger, folders: readonly string[]): { stop: () => Promise<void> } {
  const readFolder = createFolderReader();
  const known = new Map<string, Tenant | ApiKey>();
  const stopping = new AbortController();

  async function reconcile(): Promise<void> {
    const found = new Map<string, Tenant | ApiKey>();
    for (const { resources } of (await Promise.all(folders.map(readFolder))).flat()) {
      for (const resource of resources) {
        if (resource.kind === 'Tenant' || resource.kind === 'ApiKey')
          found.set(`${resource.kind}/${resource.metadata.name}`, resource);
      }
    }
    const tenantsFirst = [...found].sort(([, a], [, b]) => b.kind.localeCompare(a.kind));
    for (const [key, resource] of tenantsFirst) {
      // The reader returns the same object for a resource until the file of the resource changes.
      if (known.get(key) === resource) continue;
      await apply(ledger, resource);
      known.set(key, resource);
    }
    for (const [key, resource] of known) {
      if (found.has(key)) continue;
      await remove(ledger, resource);
      known.delete(key);
    }
  }

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      // On a busy machine, Redis may answer too late. The next round then tries again, as in the real operator.
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
  // Applies the grants in parallel. A tenant may have a thousand grants, which would take too long one after another.
  const { name } = resource.metadata;
  await Promise.all(grants.map(({ id, audioSeconds }) => ledger.accounts.grant(name, id, audioSeconds * 1000)));
}

async function remove(ledger: Ledger, resource: Tenant | ApiKey): Promise<void> {
  if (resource.kind === 'ApiKey') await ledger.apiKeys.revoke(resource.spec.keyId);
  else await ledger.accounts.close(resource.metadata.name);
}
