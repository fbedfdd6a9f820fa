import type * as AsyncApi from '../asyncapi/document.ts';
import type * as OpenApi from '../openapi/document.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { field } from './fields.ts';
import { Html, join, markup } from './html.ts';
import { sections } from './markdown.ts';
import type { Section } from './markdown.ts';
import { navigation } from './navigation.ts';
import type { Group } from './navigation.ts';
import { badge, documentsSection, endpoints, endpointSection } from './operation.ts';
import { sequence } from './sequence.ts';
import { messagesSection, streamSection } from './stream.ts';

// Icon of the page, as a data URL, so that the page needs no other file.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230f766e'/%3E%3Cpath d='M4 6v4M7 3.5v9M10 5v6M13 7v2' stroke='white' stroke-width='1.6' stroke-linecap='round'/%3E%3C/svg%3E";

/** Renders the documentation as a single self-contained page. */
export function page(openApi: OpenApi.OpenApiDocument, asyncApi: AsyncApi.AsyncApiDocument): string {
  const guide = sections(openApi.info.description);
  const stream = sections(asyncApi.info.description);
  const all = endpoints(openApi).filter(({ operation }) => !isDocument(operation));
  const body = markup`<a class="skip" href="#introduction">Skip to content</a>
<header class="top"><label for="menu" class="menu-button" aria-hidden="true">☰</label><a class="brand" href="#introduction">${openApi.info.title}</a><span class="version">v${openApi.info.version}</span><span class="links"><a href="openapi.json">OpenAPI</a><a href="asyncapi.json">AsyncAPI</a></span></header>
${navigation(groups(guide.sections, stream.sections, all))}
<main>
<section id="introduction"><h1>${openApi.info.title} API</h1><div class="lead">${guide.intro}</div>
<dl class="facts"><dt>Base URL</dt><dd><code>${openApi.servers[0]?.url}</code></dd><dt>Version</dt><dd>${openApi.info.version}</dd><dt>Documents</dt><dd><a href="openapi.json">/openapi.json</a> <a href="asyncapi.json">/asyncapi.json</a></dd></dl></section>
${guide.sections.map((section) => textSection(section, section.id === 'how-it-works' ? sequence() : undefined))}
<h1 class="part">HTTP API</h1>
${all.map((endpoint) => endpointSection(endpoint, openApi.components))}
${headersSection(openApi)}
${documentsSection(endpoints(openApi).filter(({ operation }) => isDocument(operation)))}
<h1 class="part">Streaming</h1>
${streamSection(asyncApi, stream.intro)}
${stream.sections.slice(0, 3).map((section) => textSection(section))}
${messagesSection(asyncApi, 'receive')}
${messagesSection(asyncApi, 'send')}
${stream.sections.slice(3).map((section) => textSection(section))}
</main>`;
  return document(openApi, body).text;
}

function isDocument(operation: OpenApi.Operation): boolean {
  return operation.tags.includes('Documents');
}

function textSection({ id, title, body }: Section, after?: Html): Html {
  return markup`<section id="${id}" class="guide"><h2>${title}</h2>${body}${after}</section>`;
}

function groups(guide: readonly Section[], stream: readonly Section[], all: ReturnType<typeof endpoints>): Group[] {
  return [
    { title: 'Guide', entries: [{ id: 'introduction', title: 'Introduction' }, ...guide] },
    {
      title: 'HTTP API',
      entries: [
        ...all.map(({ method, operation }) => ({
          id: operation.operationId,
          title: operation.summary,
          badge: badge(method),
        })),
        { id: 'headers', title: 'Response headers' },
        { id: 'documents', title: 'Documents' },
      ],
    },
    {
      title: 'Streaming',
      entries: [
        { id: 'stream', title: 'Stream audio', badge: badge('wss') },
        ...stream.slice(0, 3),
        { id: 'client-messages', title: 'Client messages' },
        { id: 'server-messages', title: 'Server messages' },
        ...stream.slice(3),
      ],
    },
  ];
}

function document({ info }: OpenApi.OpenApiDocument, body: Html): Html {
  return join([
    markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${info.title} API</title><meta name="description" content="${info.summary}">
<link rel="icon" href="${ICON}">`,
    new Html(`<style>${STYLE}</style></head><body>\n`),
    body,
    new Html(`\n<script>${SCRIPT}</script></body></html>\n`),
  ]);
}

/** Renders the response headers of all endpoints. */
function headersSection(document: OpenApi.OpenApiDocument): Html {
  const rows = Object.entries(document.components.headers).map(([name, { schema, description, required }]) =>
    field(name, { ...schema, description }, required, {}),
  );
  return markup`<section id="headers"><h2>Response headers</h2>
<p>A required header is always present in the responses that list it.</p><ul class="fields">${rows}</ul></section>`;
}
