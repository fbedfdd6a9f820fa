import type { ComponentType } from 'preact';
import { matchPath } from '../data/router.ts';
import { AccountPage } from './account/page.tsx';
import { KeysPage } from './keys/page.tsx';
import { OverviewPage } from './overview/page.tsx';
import { PlaygroundPage } from './playground/page.tsx';
import { QuickStartPage } from './quick-start/page.tsx';
import { RefusalsPage } from './sessions/refusals.tsx';
import { SessionPage } from './sessions/detail.tsx';
import { SessionsPage } from './sessions/page.tsx';
import { TeamPage } from './team/page.tsx';
import { UsagePage } from './usage/page.tsx';

export type PageParams = Readonly<Record<string, string>>;

/**
 * Pages for signed-in developers by the pattern of their path. The first page whose pattern matches the address is
 * shown.
 */
const PAGES: readonly (readonly [pattern: string, page: ComponentType<{ params: PageParams }>])[] = [
  ['/', OverviewPage],
  ['/playground', PlaygroundPage],
  ['/keys', KeysPage],
  ['/usage', UsagePage],
  ['/sessions', SessionsPage],
  ['/sessions/refused', RefusalsPage],
  ['/sessions/:id', SessionPage],
  ['/quick-start', QuickStartPage],
  ['/team', TeamPage],
  ['/account', AccountPage],
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

/** Returns whether a link leads to a page of this console. The browser itself loads other paths, such as /docs. */
export function isPage(path: string): boolean {
  return findPage(path) !== undefined;
}
