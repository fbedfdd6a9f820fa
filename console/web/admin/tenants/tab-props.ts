import type { AdminTenantView } from '../../../src/responses/administration.ts';

/** Properties of a tab that changes the tenant. */
export interface TabProps {
  readonly tenant: AdminTenantView;
  /** Reads the tenant again after a change. */
  readonly reload: () => Promise<void>;
}
