import { readFileSync } from 'node:fs';
import type { Router } from 'express';
import { methodNotAllowed } from '../http/error-handler.ts';

/** Folder of the pages, next to `src` and `dist`. */
const FOLDER = new URL('../../page/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
/** Scripts that both pages import. */
export const SHARED_SCRIPTS = ['api.js', 'controls.js', 'format.js', 'html.js'] as const;

/** Headers of the pages. A page loads nothing from other origins, and no other page can frame it. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
};

/** Serves files of the page folder. The first one is served at `/`. */
export function routePage(router: Router, files: readonly [string, ...string[]]): void {
  for (const [index, file] of files.entries()) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain';
    router
      .route(index === 0 ? '/' : `/${file}`)
      .get((_request, response) => {
        response.set(HEADERS).type(type).send(text);
      })
      .all(methodNotAllowed('GET, HEAD'));
  }
}
