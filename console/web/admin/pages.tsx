import type { ComponentType } from 'preact';
import { matchPath } from '../data/router.ts';
import { ApplicationsPage } from './applications/page.tsx';
import { AuditPage } from './audit/page.tsx';
import { CreditRequestsPage } from './credit-requests/page.tsx';
import { HealthPage } from './health/page.tsx';
import { ModelsPage } from './models/page.tsx';
import type { PageParams } from './page-params.ts';
import { TenantPage } from './tenants/detail.tsx';
import { TenantsPage } from './tenants/page.tsx';

/** Pages for administrators by the pattern of their path. The first page whose pattern matches the address is shown. */
const PAGES: readonly (readonly [pattern: string, page: ComponentType<{ params: PageParams }>])[] = [
  ['/', ApplicationsPage],
  ['/tenants', TenantsPage],
  ['/tenants/:name', TenantPage],
  ['/credit-requests', CreditRequestsPage],
  ['/models', ModelsPage],
  ['/audit', AuditPage],
  ['/health', HealthPage],
];

/** Returns the page at a path, and the values of the parameters in the path. Undefined if no page has this path. */
export function findPage(
  path: string,
): { Page: ComponentType<{ params: PageParams }>; params: PageParams } | undefined {
  for (const [pattern, Page] of PAGES) {
    const params = matchPath(pattern, path);
    if (params !== undefined) return { Page, params };
  }
  return undefined;
}

/** Returns whether a link leads to a page of this console. */
export function isPage(path: string): boolean {
  return findPage(path) !== undefined;
}
