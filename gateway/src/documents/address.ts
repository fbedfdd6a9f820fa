import type { AsyncApi, Documents, OpenApi } from '@svc-asr/api-docs';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Replaces the example address that the documents were rendered with by the public URL of this gateway. */
export function withPublicUrl(documents: Documents, publicUrl: string): Documents {
  const openApi = JSON.parse(documents['openapi.json']) as OpenApi.OpenApiDocument;
  const asyncApi = JSON.parse(documents['asyncapi.json']) as AsyncApi.AsyncApiDocument;
  const exampleUrl = openApi.servers[0]?.url;
  if (exampleUrl === undefined) throw new Error('openapi.json names no server, so its address cannot be replaced');
  const replace = (text: string, escape: (url: string) => string): string =>
    text
      .replaceAll(exampleUrl, () => escape(publicUrl))
      .replaceAll(toWebSocket(exampleUrl), () => escape(toWebSocket(publicUrl)));
  const { host, pathname, protocol } = new URL(toWebSocket(publicUrl));
  const service = {
    ...asyncApi.servers.service,
    host,
    protocol: protocol.replace(':', ''),
    ...(pathname === '/' ? {} : { pathname }),
  };
  return {
    ...documents,
    'openapi.json': replace(documents['openapi.json'], (url) => JSON.stringify(url).slice(1, -1)),
    'asyncapi.json': JSON.stringify({ ...asyncApi, servers: { service } }),
    'docs.html': replace(documents['docs.html'], escapeHtml),
  };
}

function toWebSocket(url: string): string {
  return url.replace(/^http/, 'ws');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
