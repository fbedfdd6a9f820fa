import { renderDocuments } from '@svc-asr/api-docs';
import type { AsyncApi, OpenApi } from '@svc-asr/api-docs';
import { withPublicUrl } from './address.ts';

const documents = renderDocuments();
const serverOf = (publicUrl: string) =>
  (JSON.parse(withPublicUrl(documents, publicUrl)['asyncapi.json']) as AsyncApi.AsyncApiDocument).servers.service;

test('withPublicUrl replaces every example address in the documents by the public URL', () => {
  const replaced = withPublicUrl(documents, 'https://speech.example.org/asr');
  const openApi = JSON.parse(replaced['openapi.json']) as OpenApi.OpenApiDocument;
  expect(openApi.servers[0]!.url).toBe('https://speech.example.org/asr');
  for (const name of ['openapi.json', 'docs.html'] as const) {
    expect(replaced[name].replace(/<[^>]*>/g, '')).toContain('curl https://speech.example.org/asr/v1/models');
    expect(replaced[name]).toContain('wss://speech.example.org/asr/v1/asr/sessions/');
  }
  expect(Object.values(replaced).join('\n')).not.toContain('asr.example.com');
});

test('withPublicUrl escapes the public URL in the HTML page', () => {
  const { 'docs.html': page } = withPublicUrl(documents, "https://a.example/'&<b>");
  expect(page).toContain('https://a.example/&#39;&amp;&lt;b&gt;');
  expect(page).not.toContain("https://a.example/'");
});

test.each([
  ['https://asr.example.org', { host: 'asr.example.org', protocol: 'wss' }],
  ['https://localhost:8443', { host: 'localhost:8443', protocol: 'wss' }],
  ['http://127.0.0.1:8080', { host: '127.0.0.1:8080', protocol: 'ws' }],
  ['https://example.com/asr', { host: 'example.com', protocol: 'wss', pathname: '/asr' }],
])('withPublicUrl with the public URL %s sets the AsyncAPI server to %j', (publicUrl, server) => {
  expect(serverOf(publicUrl)).toEqual({ ...server, description: 'This service.' });
});

test('withPublicUrl adds --cacert to the curl examples if a CA file is given', () => {
  const replaced = withPublicUrl(documents, 'https://localhost:8443', "/my home/it's/ca.crt");
  const openApi = JSON.parse(replaced['openapi.json']) as OpenApi.OpenApiDocument;
  expect(JSON.stringify(openApi)).not.toContain('curl https');
  expect(replaced['docs.html'].replace(/<[^>]*>/g, '')).toContain(
    'curl --cacert &#39;/my home/it&#39;\\&#39;&#39;s/ca.crt&#39; https://localhost:8443/v1/models',
  );
  expect(withPublicUrl(documents, 'https://a.example', '/ca.crt')['docs.html']).toContain(
    'curl --cacert /ca.crt https',
  );
});

test('withPublicUrl adds a link to the console to the header of the page if the console URL is given', () => {
  const linked = withPublicUrl(documents, 'https://a.example', '', 'https://console.example/?a&b');
  expect(linked['docs.html']).toContain('<a href="https://console.example/?a&amp;b">Console</a>');
  expect(withPublicUrl(documents, 'https://a.example')['docs.html']).not.toContain('>Console</a>');
});
