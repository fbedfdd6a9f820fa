import type * as AsyncApi from '../asyncapi/document.ts';
import type * as OpenApi from '../openapi/document.ts';
import { code, jsonCode } from './code.ts';
import { fields } from './fields.ts';
import type { Html } from './html.ts';
import { markup } from './html.ts';
import { inline } from './markdown.ts';
import { tabs } from './tabs.ts';

/** Renders the first section about the stream: how to open it, and complete example programs. */
export function streamSection(document: AsyncApi.AsyncApiDocument, intro: Html): Html {
  const { stream } = document.channels;
  const samples = stream['x-codeSamples'].map(({ label, lang, source }: OpenApi.CodeSample) => ({
    label,
    body: code(source, lang),
  }));
  return markup`<section id="stream">
<h2>Stream audio</h2>
<p class="route"><span class="method wss">WSS</span> <code>${stream.address}</code></p>
${intro}<p>${inline(stream.description)}</p>
<h3>Subprotocols</h3><p>${inline(stream['x-subprotocols'].map((name) => `\`${name}\``).join(', then '))}</p>
${tabs('stream-samples', 'Example', samples)}
</section>`;
}

/**
 * Renders the messages of one direction of the stream. `receive` selects the messages of the client, which the service
 * receives.
 */
export function messagesSection(document: AsyncApi.AsyncApiDocument, action: 'send' | 'receive'): Html {
  const isClient = action === 'receive';
  const names = Object.values(document.operations)
    .filter((operation) => operation.action === action && lastPart(operation.channel) === 'stream')
    .flatMap(({ messages }) => messages.map(lastPart));
  return markup`<section id="${isClient ? 'client-messages' : 'server-messages'}">
<h2>${isClient ? 'Client messages' : 'Server messages'}</h2>
${names.map((name) => messageBlock(name, document))}</section>`;
}

function messageBlock(name: string, { components }: AsyncApi.AsyncApiDocument): Html {
  const message = components.messages[name];
  if (message === undefined) throw new Error(`the message ${name} is not in the document`);
  const isText = message.contentType === 'application/json';
  const examples = (message.examples ?? []).map(({ payload }) => jsonCode(payload));
  return markup`<div class="split message" id="message-${name}">
<div class="text"><h3><code>${name}</code> ${isText ? undefined : markup`<span class="type">binary</span>`}</h3>
<p>${inline(message.summary)}</p>
${isText ? fields(message.payload, components.schemas) : markup`<p>${inline(message.payload.description ?? '')}</p>`}</div>
<div class="aside">${examples}</div></div>`;
}

function lastPart({ $ref }: OpenApi.Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}
