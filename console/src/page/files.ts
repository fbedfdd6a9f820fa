import { readFileSync } from 'node:fs';
import type { Router } from 'express';
import { methodNotAllowed } from '../http/refusals.ts';

/** Beside src and dist. */
const FOLDER = new URL('../../page/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** The page loads nothing from anywhere else, and no other page can frame it. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
};

/** Serves files of the page folder; the first one at `/`. */
export function routePage(router: Router, files: readonly [string, ...string[]]): void {
  for (const [at, file] of files.entries()) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain';
    router
      .route(at === 0 ? '/' : `/${file}`)
      .get((_request, response) => {
        response.set(HEADERS).type(type).send(text);
      })
      .all(methodNotAllowed('GET, HEAD'));
  }
}
