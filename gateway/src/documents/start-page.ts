import { createHash } from 'node:crypto';
import { escapeHtml } from './address.ts';

const STYLE =
  'body{max-width:36rem;margin:4rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;color:#1a1a1a;background:#fff}' +
  'code{background:#f2f2f2;padding:.1rem .3rem}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#111}a{color:#8ab4ff}code{background:#222}}';

/**
 * Headers of the start page. They allow nothing but the style in the page, because the page loads nothing and runs no
 * script.
 */
export const START_PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
};

/** Builds the page at `/`, which links to the documentation and the console. */
export function buildStartPage(consoleUrl: string): string {
  const console =
    consoleUrl === ''
      ? ''
      : `<li><a href="${escapeHtml(consoleUrl)}">Console</a>: create API keys and see your usage</li>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc-asr</title>
<style>${STYLE}</style>
</head>
<body>
<h1>svc-asr</h1>
<p>This is the API of a streaming speech recognition service.</p>
<ul>
<li><a href="docs">Documentation</a>: guide, reference and examples</li>
${console}
<li><a href="v1/models">Models</a>, <a href="openapi.json">OpenAPI</a> and <a href="asyncapi.json">AsyncAPI</a>, for programs</li>
</ul>
</body>
</html>
`;
}
