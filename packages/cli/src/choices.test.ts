import type { Model } from '@svc-asr/core';
import { chooseModel } from './choose-model.ts';
import { findRecorder, isOnPath, recordersFor } from './recorder.ts';

const models = [
  { id: 'ki-1', language_code: 'ki' },
  { id: 'luo-1', language_code: 'luo' },
  { id: 'luo-2', language_code: 'luo' },
] as Model[];

test('chooseModel returns the only model of the given language, or the first model if no language is given', () => {
  expect(chooseModel(models, undefined)).toBe('ki-1');
  expect(chooseModel(models, 'ki')).toBe('ki-1');
  expect(() => chooseModel(models, 'luo')).toThrow('Select one with --model: luo-1, luo-2');
  expect(() => chooseModel(models, 'sw')).toThrow('no model for the language sw. Available languages: ki, luo.');
  expect(() => chooseModel([], undefined)).toThrow('has no models');
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
