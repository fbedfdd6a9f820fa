import { CLIENT_MESSAGES, CLOSE_CODES, ERRORS, SERVER_MESSAGES, STREAM_ERRORS } from '@svc-asr/core';
import { buildAsyncApi } from '../asyncapi/asyncapi.ts';
import { buildOpenApi } from '../openapi/openapi.ts';
import { STYLE } from './assets.ts';
import { resolve } from './fields.ts';
import { page } from './page.ts';

const openApi = buildOpenApi();
const asyncApi = buildAsyncApi();
const text = page(openApi, asyncApi);
const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!);

test('the docs page shows every path, error code, message, stream error and close code', () => {
  for (const path of Object.keys(openApi.paths)) expect(text).toContain(`<code>${path}</code>`);
  for (const code of Object.keys(ERRORS)) expect(text).toContain(`<code>${code}</code></td>`);
  for (const type of ['audio', ...Object.keys(CLIENT_MESSAGES), ...Object.keys(SERVER_MESSAGES)]) {
    expect(ids).toContain(`message-${type}`);
  }
  for (const code of Object.keys(STREAM_ERRORS)) expect(text).toContain(`<code>${code}</code></td>`);
  for (const code of Object.keys(CLOSE_CODES)) expect(text).toContain(`<td data-label="code">${code}</td>`);
});

test('the docs page shows every response header, and every parameter of POST operations', () => {
  for (const name of Object.keys(openApi.components.headers)) expect(text).toContain(`<code>${name}</code>`);
  for (const { post } of Object.values(openApi.paths)) {
    for (const { name } of post?.parameters ?? []) expect(text).toContain(`<code>${name}</code>`);
  }
});

test('the docs page shows every field of every request body', () => {
  for (const { post } of Object.values(openApi.paths)) {
    for (const { schema } of Object.values(post?.requestBody?.content ?? {})) {
      const names = Object.keys(resolve(schema, openApi.components.schemas).properties ?? {});
      expect(names.length).toBeGreaterThan(0);
      const start = text.indexOf(`<section id="${post!.operationId}"`);
      const section = text.slice(start, text.indexOf('</section>', start));
      for (const name of names) expect(section).toContain(`<div class="name"><code>${name}</code>`);
    }
  }
});

test('for each tab of the docs page, the style sheet has a rule that shows the panel of the tab while it is selected', () => {
  const blocks = text.split('<div class="tabs"').slice(1);
  const count = Math.max(...blocks.map((block) => block.split('<div class="panel">').length - 1));
  expect(count).toBeGreaterThan(3);
  for (let tab = 1; tab <= count; tab++) {
    // The title of the block is the first element of the same type as the panels, so panel N is element N + 1.
    expect(STYLE).toContain(`.tabs input:nth-of-type(${tab}):checked ~ .panel:nth-of-type(${tab + 1})`);
  }
});

test('the docs page has examples for curl, Node and browsers', () => {
  for (const label of ['curl', 'Node', 'Browser']) expect(text).toContain(`>${label}</label>`);
});

test('ids in the docs page are unique, and every internal link has a target', () => {
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...text.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]!);
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  expect(targets.length).toBeGreaterThan(30);
});

test('the docs page loads no other file, and its elements have no style attributes or event handlers', () => {
  const head = text.slice(0, text.indexOf('<body>')).replace(/<style>.*<\/style>/s, '');
  expect(text).not.toMatch(/<(img|iframe|script|link|object|embed)[^>]*\ssrc=/);
  expect([...head.matchAll(/<link [^>]*href="([^"]{5})/g)].map((match) => match[1])).toEqual(['data:']);
  expect(text).not.toMatch(/<[^>]+\s(style|on\w+)=/);
});

test('the docs page escapes texts of the OpenAPI document', () => {
  const hostile = '<script>alert(1)</script>';
  const changed = structuredClone(openApi);
  changed.info.title = hostile;
  changed.info.version = hostile;
  changed.servers[0]!.url = hostile;
  const operation = changed.paths['/v1/models']!.get!;
  operation.summary = hostile;
  operation.description = `${hostile} [x](javascript:alert(1)) \`${hostile}\``;
  operation['x-codeSamples']![0]!.source = hostile;
  operation['x-codeSamples']![0]!.label = hostile;
  operation.responses['200']!.description = hostile;
  operation.responses['200']!.content!['application/json']!.examples!.example!.value = hostile;
  const rendered = page(changed, asyncApi);
  expect(rendered).not.toContain(hostile);
  expect(rendered).not.toContain('href="javascript');
  expect(rendered.match(/<script>/g)).toHaveLength(1);
});
