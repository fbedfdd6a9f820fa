import type { Html } from './html.ts';
import { markup } from './html.ts';

export interface Entry {
  id: string;
  title: string;
  /** A word before the title, such as a method. */
  badge?: Html;
}

export interface Group {
  title: string;
  entries: readonly Entry[];
}

/** Links to every section, in groups. On a phone a checkbox opens it, so that it works without a script. */
export function navigation(groups: readonly Group[]): Html {
  return markup`<input type="checkbox" id="menu" class="menu-switch" aria-label="Show the contents">
<nav aria-label="Contents">${groups.map(
    ({ title, entries }) => markup`<div class="group">${title}</div><ul>${entries.map((entry) => link(entry))}</ul>`,
  )}</nav>`;
}

function link({ id, title, badge }: Entry): Html {
  return markup`<li><a href="#${id}">${badge}<span>${title}</span></a></li>`;
}
