import type { Html } from './html.ts';
import { markup } from './html.ts';

export interface Entry {
  id: string;
  title: string;
  /** Label before the title, such as an HTTP method. */
  badge?: Html;
}

export interface Group {
  title: string;
  entries: readonly Entry[];
}

/** Renders grouped links to all sections. On a phone a checkbox opens the menu, so it works without a script. */
export function navigation(groups: readonly Group[]): Html {
  return markup`<input type="checkbox" id="menu" class="menu-switch" aria-label="Show menu">
<nav aria-label="Contents">${groups.map(
    ({ title, entries }) => markup`<div class="group">${title}</div><ul>${entries.map((entry) => link(entry))}</ul>`,
  )}</nav>`;
}

function link({ id, title, badge }: Entry): Html {
  return markup`<li><a href="#${id}">${badge}<span>${title}</span></a></li>`;
}
