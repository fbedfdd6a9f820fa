import { Html, markup } from './html.ts';

export interface Tab {
  label: string;
  body: Html;
}

/** Renders tabs. Radio buttons select the panel, so the tabs work without a script. `id` must be unique in the page. */
export function tabs(id: string, title: string, list: readonly Tab[]): Html {
  const buttons = list.map(
    ({ label }, at) =>
      markup`<input type="radio" name="${id}" id="${id}-${at}"${at === 0 ? new Html(' checked') : undefined}><label for="${id}-${at}">${label}</label>`,
  );
  return markup`<div class="tabs" role="group" aria-label="${title}"><div class="bar">${title}</div>${buttons}
${list.map(({ body }) => markup`<div class="panel">${body}</div>`)}</div>`;
}
