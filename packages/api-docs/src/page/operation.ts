import type * as OpenApi from '../openapi/document.ts';
import { code, jsonCode } from './code.ts';
import { field, fields } from './fields.ts';
import type { Html } from './html.ts';
import { join, markup } from './html.ts';
import { inline, markdown } from './markdown.ts';
import { tabs } from './tabs.ts';

type Components = OpenApi.OpenApiDocument['components'];

export interface Endpoint {
  method: OpenApi.Method;
  path: string;
  operation: OpenApi.Operation;
}

/** Lists the operations of the document in order. */
export function endpoints(document: OpenApi.OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method as OpenApi.Method, path, operation })),
  );
}

/** Renders an endpoint: description and parameters on one side, code samples and responses on the other. */
export function endpointSection({ method, path, operation }: Endpoint, components: Components): Html {
  return markup`<section id="${operation.operationId}" class="split">
<div class="text">
<h2>${operation.summary}</h2>
<p class="route">${badge(method)} <code>${path}</code></p>
${markdown(operation.description)}
${parameters(operation, components)}
${requestBody(operation, components)}
${responses(operation, components)}
</div>
<div class="aside">${samples(operation)}${exampleResponses(operation)}</div>
</section>`;
}

/** Renders the endpoints that serve the documentation itself as a short table. */
export function documentsSection(list: readonly Endpoint[]): Html {
  const rows = list.map(
    ({ method, path, operation }) =>
      markup`<tr><td>${badge(method)} <code>${path}</code></td><td>${inline(operation.description)}</td></tr>`,
  );
  const headers = headersOfAll(list.flatMap(({ operation }) => Object.values(operation.responses)));
  return markup`<section id="documents" class="guide"><h2>Documents</h2>
<div class="scroll"><table><thead><tr><th scope="col">Path</th><th scope="col">Content</th></tr></thead><tbody>${rows}</tbody></table></div>
<p>The status is 200, or 304 if <code>If-None-Match</code> names the current version. Headers: ${codes(headers)}.</p></section>`;
}

/** Renders a method as a coloured label. */
export function badge(method: string): Html {
  return markup`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

function parameters(operation: OpenApi.Operation, components: Components): Html | undefined {
  const key = operation.security.length > 0 ? components.securitySchemes.apiKey : undefined;
  const authorization =
    key === undefined
      ? []
      : [field('Authorization', { type: 'string', description: `\`Bearer <API_KEY>\`. ${key.description}` }, true, {})];
  const rest = (operation.parameters ?? []).map(({ name, schema, required, description }) =>
    field(name, { ...schema, description }, required, components.schemas),
  );
  const all = [...authorization, ...rest];
  return all.length === 0 ? undefined : markup`<h3>Headers and parameters</h3><ul class="fields">${all}</ul>`;
}

function requestBody({ requestBody: body }: OpenApi.Operation, { schemas }: Components): Html | undefined {
  const schema = Object.values(body?.content ?? {})[0]?.schema;
  if (body === undefined || schema === undefined) return undefined;
  return markup`<h3>Body</h3><p>${inline(body.description)}</p>${fields(schema, schemas)}`;
}

function responses(operation: OpenApi.Operation, components: Components): Html {
  const all = Object.entries(operation.responses);
  const always = headersOfAll(all.map(([, response]) => response));
  const rows = all.map(([status, response]) => responseRow(status, response, always));
  const success = all.find(([status]) => Number(status) < 300);
  const schema = success?.[1].content?.['application/json']?.schema;
  return markup`${schema?.$ref === undefined ? undefined : markup`<h3>Response ${success?.[0]}</h3>${fields(schema, components.schemas)}`}
<h3>Responses</h3><p>All responses have the headers ${codes(always)}.</p>
<div class="scroll"><table><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function responseRow(status: string, response: OpenApi.Response, always: readonly string[]): Html {
  const reasons = errorExamples(response).map(([name]) => markup`<a href="#errors"><code>${name}</code></a> `);
  const more = Object.keys(response.headers ?? {}).filter((name) => !always.includes(name));
  return markup`<tr><td>${statusLabel(status)}</td><td>${inline(response.description)}
${reasons.length === 0 ? undefined : markup`<div class="codes">${reasons}</div>`}
${more.length === 0 ? undefined : markup`<div class="also">Additional headers: ${codes(more)}</div>`}</td></tr>`;
}

function headersOfAll(responses: readonly OpenApi.Response[]): string[] {
  const [first, ...rest] = responses.map((response) => Object.keys(response.headers ?? {}));
  return (first ?? []).filter((name) => rest.every((names) => names.includes(name)));
}

function codes(names: readonly string[]): Html {
  return join(
    names.map((name) => markup`<a href="#headers"><code>${name}</code></a>`),
    ' ',
  );
}

function statusLabel(status: string): Html {
  return markup`<span class="status s${status.slice(0, 1)}">${status}</span>`;
}

function samples(operation: OpenApi.Operation): Html | undefined {
  const list = operation['x-codeSamples'];
  if (list === undefined) return undefined;
  return tabs(
    `${operation.operationId}-request`,
    'Request',
    list.map(({ label, lang, source }) => ({ label, body: code(source, lang) })),
  );
}

function exampleResponses(operation: OpenApi.Operation): Html {
  const all = Object.entries(operation.responses);
  const good = all.flatMap(([status, response]) => {
    const [example] = Object.values(response.content?.['application/json']?.examples ?? {});
    return Number(status) < 300 && example !== undefined ? [{ label: status, body: jsonCode(example.value) }] : [];
  });
  const bad = all.flatMap(([status, response]) =>
    errorExamples(response).map(([name, example]) => errorExample(status, name, example)),
  );
  return markup`${good.length === 0 ? undefined : tabs(`${operation.operationId}-response`, 'Response', good)}
${bad.length === 0 ? undefined : markup`<details class="more"><summary>All errors of this endpoint</summary>${bad}</details>`}`;
}

function errorExample(status: string, name: string, { value, description }: OpenApi.Example): Html {
  return markup`<h4>${statusLabel(status)} <code>${name}</code></h4>
<p>${inline(description ?? '')}</p>${jsonCode(value)}`;
}

function errorExamples(response: OpenApi.Response): [string, OpenApi.Example][] {
  return Object.entries(response.content?.['application/json']?.examples ?? {}).filter(
    ([, { value }]) => typeof value === 'object' && value !== null && 'error' in value,
  );
}
