import type { OpenApi } from '@svc-asr/core';
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

/** Every operation of the document in its order. */
export function endpoints(document: OpenApi.OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method as OpenApi.Method, path, operation })),
  );
}

/** An endpoint: what it does and takes on one side, code and examples on the other. */
export function endpointSection({ method, path, operation }: Endpoint, components: Components): Html {
  return markup`<section id="${operation.operationId}" class="split">
<div class="text">
<h2>${operation.summary}</h2>
<p class="route">${badge(method)} <code>${path}</code></p>
${markdown(operation.description)}
${parameters(operation, components)}
${requestBody(operation, components)}
${answers(operation, components)}
</div>
<div class="aside">${samples(operation)}${exampleAnswers(operation)}</div>
</section>`;
}

/** Endpoints that serve the description of the service itself, as one short table. */
export function documentsSection(list: readonly Endpoint[]): Html {
  const rows = list.map(
    ({ method, path, operation }) =>
      markup`<tr><td>${badge(method)} <code>${path}</code></td><td>${inline(operation.description)}</td></tr>`,
  );
  const headers = headersOfAll(list.flatMap(({ operation }) => Object.values(operation.responses)));
  return markup`<section id="documents" class="guide"><h2>Documents</h2>
<div class="scroll"><table><thead><tr><th scope="col">Path</th><th scope="col">What it is</th></tr></thead><tbody>${rows}</tbody></table></div>
<p>Each answers 200, or 304 where <code>If-None-Match</code> names the version that holds, with the headers ${codes(headers)}.</p></section>`;
}

/** The method as a coloured word. */
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
  const schema = body?.content['application/json']?.schema;
  if (body === undefined || schema === undefined) return undefined;
  return markup`<h3>Body</h3><p>${inline(body.description)}</p>${fields(schema, schemas)}`;
}

function answers(operation: OpenApi.Operation, components: Components): Html {
  const all = Object.entries(operation.responses);
  const always = headersOfAll(all.map(([, response]) => response));
  const rows = all.map(([status, response]) => answerRow(status, response, always));
  const success = all.find(([status]) => Number(status) < 300);
  const schema = success?.[1].content?.['application/json']?.schema;
  return markup`${schema?.$ref === undefined ? undefined : markup`<h3>Answer ${success?.[0]}</h3>${fields(schema, components.schemas)}`}
<h3>Every answer</h3><p>With the headers ${codes(always)}.</p>
<div class="scroll"><table><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function answerRow(status: string, response: OpenApi.Response, always: readonly string[]): Html {
  const reasons = errorExamples(response).map(([name]) => markup`<a href="#errors"><code>${name}</code></a> `);
  const more = Object.keys(response.headers ?? {}).filter((name) => !always.includes(name));
  return markup`<tr><td>${statusWord(status)}</td><td>${inline(response.description)}
${reasons.length === 0 ? undefined : markup`<div class="codes">${reasons}</div>`}
${more.length === 0 ? undefined : markup`<div class="also">Also: ${codes(more)}</div>`}</td></tr>`;
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

function statusWord(status: string): Html {
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

function exampleAnswers(operation: OpenApi.Operation): Html {
  const all = Object.entries(operation.responses);
  const good = all.flatMap(([status, response]) => {
    const [example] = Object.values(response.content?.['application/json']?.examples ?? {});
    return Number(status) < 300 && example !== undefined ? [{ label: status, body: jsonCode(example.value) }] : [];
  });
  const bad = all.flatMap(([status, response]) =>
    errorExamples(response).map(([name, example]) => errorExample(status, name, example)),
  );
  return markup`${good.length === 0 ? undefined : tabs(`${operation.operationId}-answer`, 'Answer', good)}
${bad.length === 0 ? undefined : markup`<details class="more"><summary>Every error of this endpoint</summary>${bad}</details>`}`;
}

function errorExample(status: string, name: string, { value, description }: OpenApi.Example): Html {
  return markup`<h4>${statusWord(status)} <code>${name}</code></h4>
<p>${inline(description ?? '')}</p>${jsonCode(value)}`;
}

function errorExamples(response: OpenApi.Response): [string, OpenApi.Example][] {
  return Object.entries(response.content?.['application/json']?.examples ?? {}).filter(
    ([, { value }]) => typeof value === 'object' && value !== null && 'error' in value,
  );
}
