import type { AsyncApi, Documents, OpenApi } from '@svc-asr/api-docs';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Opening tag of the links in the header of the page. */
const LINKS = '<span class="links">';

/**
 * Replaces the example address in the rendered documents by the public URL of this gateway. If `caFile` is given, the
 * curl examples trust that CA. If `consoleUrl` is given, the header of the page has a link to the console.
 */
export function withPublicUrl(documents: Documents, publicUrl: string, caFile = '', consoleUrl = ''): Documents {
  const openApi = JSON.parse(documents['openapi.json']) as OpenApi.OpenApiDocument;
  const asyncApi = JSON.parse(documents['asyncapi.json']) as AsyncApi.AsyncApiDocument;
  const exampleUrl = openApi.servers[0]?.url;
  if (exampleUrl === undefined) throw new Error('openapi.json names no server, so its address cannot be replaced');
  const replace = (text: string, escape: (text: string) => string): string =>
    text
      .replaceAll(`curl ${exampleUrl}`, () => `curl ${escape(trustOption(caFile))}${exampleUrl}`)
      .replaceAll(exampleUrl, () => escape(publicUrl))
      .replaceAll(toWebSocket(exampleUrl), () => escape(toWebSocket(publicUrl)));
  const { host, pathname, protocol } = new URL(toWebSocket(publicUrl));
  const service = {
    ...asyncApi.servers.service,
    host,
    protocol: protocol.replace(':', ''),
    ...(pathname === '/' ? {} : { pathname }),
  };
  const escapeJson = (url: string) => JSON.stringify(url).slice(1, -1);
  return {
    ...documents,
    'openapi.json': replace(documents['openapi.json'], escapeJson),
    'asyncapi.json': replace(JSON.stringify({ ...asyncApi, servers: { service } }), escapeJson),
    'docs.html': withConsole(replace(documents['docs.html'], escapeHtml), consoleUrl),
  };
}

function withConsole(page: string, consoleUrl: string): string {
  if (consoleUrl === '') return page;
  return page.replace(LINKS, () => `${LINKS}<a href="${escapeHtml(consoleUrl)}">Console</a>`);
}

/** Returns the option by which curl trusts a CA, followed by a space. Empty if no CA file is given. */
function trustOption(caFile: string): string {
  if (caFile === '') return '';
  return `--cacert ${/^[\w./-]+$/.test(caFile) ? caFile : `'${caFile.replaceAll("'", `'\\''`)}'`} `;
}

function toWebSocket(url: string): string {
  return url.replace(/^http/, 'ws');
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
