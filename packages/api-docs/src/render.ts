import { createHash } from 'node:crypto';
import { buildAsyncApi } from './asyncapi/asyncapi.ts';
import { buildOpenApi } from './openapi/openapi.ts';
import { SCRIPT, STYLE } from './page/assets.ts';
import { page } from './page/page.ts';

/** The files that the gateway serves, by name. `docs.headers.json` contains the response headers of `docs.html`. */
export type Documents = Readonly<Record<'openapi.json' | 'asyncapi.json' | 'docs.html' | 'docs.headers.json', string>>;

/** Renders all documents. The build writes them to files. */
export function renderDocuments(): Documents {
  const openApi = buildOpenApi();
  const asyncApi = buildAsyncApi();
  return {
    'openapi.json': JSON.stringify(openApi),
    'asyncapi.json': JSON.stringify(asyncApi),
    'docs.html': page(openApi, asyncApi),
    'docs.headers.json': JSON.stringify({
      'Content-Security-Policy': contentSecurityPolicy(SCRIPT, STYLE),
      'Referrer-Policy': 'no-referrer',
    }),
  };
}

/**
 * Builds the Content-Security-Policy of the page. It allows only the inline script and style, by their hashes, and
 * images in data URLs.
 */
function contentSecurityPolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
