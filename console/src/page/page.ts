import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}pre{background:#f4f4f4;padding:1rem;overflow:auto}`;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc-asr console</title>
<style>${STYLE}</style>
<h1>svc-asr</h1>
<p>Streaming speech recognition. This is the console of the service.</p>
<p>Whoever administers the service creates an API key on its command line:</p>
<pre>npx svc-asr admin keys create --tenant NAME --name "production" --expires 90d</pre>
<p>The key is shown once. Keep it on a server; browsers and apps get short-lived sessions from that server.</p>
</html>
`;

const HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
};

/** The console's port: one page for people. The admin API is not here. */
export function servePage(request: IncomingMessage, response: ServerResponse): void {
  if (request.url?.split('?')[0] !== '/') {
    answer(response, 404, 'text/plain', 'There is nothing at this path; see /.\n');
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    answer(response, 405, 'text/plain', 'This path takes GET.\n');
  } else {
    answer(response, 200, 'text/html', PAGE);
  }
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': `${type}; charset=utf-8` }).end(body);
}
