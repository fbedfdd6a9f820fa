import { buildAsyncApi } from './asyncapi/asyncapi.ts';
import { buildOpenApi } from './openapi/openapi.ts';
import { SCRIPT, STYLE } from './page/assets.ts';
import { page } from './page/page.ts';
import { contentSecurityPolicy } from './page/policy.ts';

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
