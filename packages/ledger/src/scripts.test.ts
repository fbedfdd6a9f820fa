import { readdirSync, readFileSync } from 'node:fs';
import { SAMPLES_PER_MS } from '@svc-asr/core';

const FOLDER = new URL('../scripts/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8');

test('include/billing.lua uses the sample rate of packages/core', () => {
  expect(read('include/billing.lua')).toContain(`local SAMPLES_PER_MS = ${SAMPLES_PER_MS}\n`);
});

test('no script but include/billing.lua contains the sample rate', () => {
  const files = readdirSync(FOLDER, { recursive: true }).map(String);
  const others = files.filter((file) => file.endsWith('.lua') && file !== 'include/billing.lua');
  expect(others.filter((file) => /16000|[*/] 16\b/.test(read(file)))).toEqual([]);
});
