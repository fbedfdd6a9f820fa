import type { Model } from '@svc-asr/core';
import { findModel } from './ask-model.ts';
import { chooseModel } from './choose-model.ts';
import { modelsFor } from './language.ts';
import { contextFor } from './latency.ts';
import { findRecorder, isOnPath, recordersFor } from './recorder.ts';
import { suggest } from './suggest.ts';

const models = [
  { id: 'ki-1', language: 'Kikuyu', language_code: 'ki' },
  { id: 'luo-1', language: 'Dholuo', language_code: 'luo' },
  { id: 'luo-2', language: 'Dholuo', language_code: 'luo' },
] as Model[];
const noAnswer = () => Promise.resolve(undefined);

test.each(['ki', 'KI', 'ki-KE', 'kik', 'ki_KE', 'Kikuyu', 'ki-Latn-KE'])(
  'modelsFor finds the model of the language %s',
  (language) => {
    expect(modelsFor(models, language).map(({ id }) => id)).toEqual(['ki-1']);
  },
);

test('modelsFor prefers a model whose code is the whole language tag to models that share only the language', () => {
  const regional = ['sw', 'sw-KE', 'sw-TZ'].map(
    (code) => ({ id: code, language: 'Swahili', language_code: code }) as Model,
  );
  const idsOf = (tag: string) => modelsFor(regional, tag).map(({ id }) => id);
  expect([idsOf('sw-TZ'), idsOf('sw'), idsOf('sw-UG')]).toEqual([['sw-TZ'], ['sw'], ['sw', 'sw-KE', 'sw-TZ']]);
  expect(modelsFor(regional, 'no tag!')).toEqual([]);
});

test('chooseModel returns the only model that fits, and otherwise the one that the user selects', async () => {
  expect((await chooseModel(models, 'ki-KE', noAnswer)).id).toBe('ki-1');
  expect((await chooseModel(models.slice(0, 1), undefined, noAnswer)).id).toBe('ki-1');
  const second = (fitting: readonly Model[]) => Promise.resolve(fitting[1]);
  expect((await chooseModel(models, 'luo', second)).id).toBe('luo-2');
});

test('chooseModel throws an error that lists the possible languages or models if it cannot ask a user', async () => {
  const failing = (list: Model[], language?: string) => expect(chooseModel(list, language, noAnswer)).rejects;
  await failing(models).toThrow('--language. Available languages: ki (Kikuyu), luo (Dholuo).');
  await failing(models, 'luo').toThrow('Select one with --model: luo-1, luo-2');
  await failing(models, 'sw').toThrow('no model for the language sw. Available languages: ki (Kikuyu), luo (Dholuo).');
  await failing([]).toThrow('has no models');
});

test('findModel accepts the number, the code, the name or the id of a model', () => {
  const found = ['1', 'ki', 'kikuyu', 'ki-1'].map((answer) => findModel(models, answer)?.id);
  expect([...new Set(found)]).toEqual(['ki-1']);
  expect([findModel(models, ''), findModel(models, '4')]).toEqual([undefined, undefined]);
});

const contexts = [13, 0, 3, 6, 1].map((right) => ({ context_size: [56, right], chunk_ms: (right + 1) * 80 }));
test('contextFor selects the shortest, the middle or the longest chunk for the latency low, balanced or accurate', () => {
  const model = { ...models[0], contexts } as unknown as Model;
  expect(['low', 'balanced', 'accurate'].map((level) => contextFor(level, model)[1])).toEqual([0, 3, 13]);
  expect(() => contextFor('fast', model)).toThrow('--latency must be one of low, balanced, accurate');
  expect(() => contextFor('low', models[0])).toThrow('--context');
});

test.each([
  ['langauge', 'language'],
  ['lang', 'language'],
  ['maxseconds', 'max-seconds'],
  ['out', 'output'],
  ['zzz', undefined],
])('for the misspelled name "%s", suggest() returns %s', (given, name) => {
  expect(suggest(given, ['language', 'max-seconds', 'output', 'json'])).toBe(name);
});

test.each(['linux', 'darwin', 'win32', 'freebsd'])(
  'every recorder for %s writes 16,000 samples per second',
  (platform) => {
    const recorders = recordersFor(platform);
    expect(recorders.length).toBeGreaterThan(0);
    for (const { args } of recorders) expect(args.join(' ')).toMatch(/16000/);
  },
);

test('findRecorder returns the first installed recorder', () => {
  const recorders = recordersFor('linux');
  expect(findRecorder(recorders, (name) => name === 'sox' || name === 'parec')?.name).toBe('parec');
  expect(findRecorder(recorders, () => false)).toBeUndefined();
});

test('isOnPath finds programs on PATH', () => {
  const env = { PATH: '/nonexistent:/bin:/usr/bin' };
  expect([isOnPath('sh', env, 'linux'), isOnPath('no-such-program', env, 'linux')]).toEqual([true, false]);
  expect(isOnPath('sh', {}, 'linux')).toBe(false);
});
