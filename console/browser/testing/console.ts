import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tenant } from '@svc-asr/core';
import { parse, stringify } from 'yaml';
import { withDeclineReason } from '../../src/tenants/decline-reason.ts';
import type { LinkView } from '../../src/responses.ts';
import { TOKEN } from '../../src/testing/console.ts';
import { startTestEnvironment } from '../../src/testing/environment.ts';
import type { TestEnvironment } from '../../src/testing/environment.ts';

/** A console with a real Redis, and what tests of its pages need. */
export interface BrowserConsole extends TestEnvironment {
  /** Creates an active tenant, and returns its private link. */
  createTenant: (name: string, spec?: Record<string, unknown>) => Promise<string>;
  /** Declines an application with a reason. */
  decline: (name: string, reason: string) => void;
}

/** Starts the console for tests of its pages. Tests that stop Redis set `operator` to false. */
export async function startBrowserConsole(
  env: Record<string, string> = {},
  { operator = true } = {},
): Promise<BrowserConsole> {
  const environment = await startTestEnvironment({
    operator,
    // The limits per address are high, because all visitors of a test share the address 127.0.0.1.
    env: { CACHE_MS: '0', APPLICATIONS_PER_HOUR: '1000', SIGN_IN_FAILURES_PER_MINUTE: '1000', ...env },
  });
  return {
    ...environment,
    createTenant: async (name, spec = {}) => {
      const grants = [{ id: 'welcome', audioSeconds: 36_000 }];
      const body = { displayName: name, state: 'Active', models: ['*'], grants, ...spec };
      await environment.call('PUT', `/admin/v1/tenants/${name}`, { body, token: TOKEN });
      const { text } = await environment.call('POST', `/admin/v1/tenants/${name}/link`);
      const { path } = JSON.parse(text) as LinkView;
      return `${environment.pageUrl}${path}`;
    },
    decline: (name, reason) => {
      const file = join(environment.folder, `tenant-${name}.yaml`);
      const tenant = parse(readFileSync(file, 'utf8')) as Tenant;
      const declined = { ...tenant, spec: { ...tenant.spec, state: 'Declined' as const } };
      writeFileSync(file, stringify(withDeclineReason(declined, reason)));
    },
  };
}
