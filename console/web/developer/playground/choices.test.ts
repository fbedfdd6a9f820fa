import type { OwnModelView } from '../../../src/responses.ts';
import { chosenModel, configOf, conflictOf, firstChoices, NO_CHOICES } from './choices.ts';

const MODEL: OwnModelView = {
  object: 'model',
  id: 'svc-asr-kikuyu-v1',
  language: 'Kikuyu',
  language_code: 'ki',
  contexts: [
    { context_size: [56, 13], chunk_ms: 1120, default: true },
    { context_size: [56, 3], chunk_ms: 320, default: false },
  ],
  max_audio_seconds: 300,
  ready: false,
};

test('chosenModel returns the first model if no model or an unknown model is chosen', () => {
  const other = { ...MODEL, id: 'svc-asr-dholuo-v1' };
  expect(['', 'gone', other.id].map((model) => chosenModel({ ...NO_CHOICES, model }, [MODEL, other])?.id)).toEqual([
    MODEL.id,
    MODEL.id,
    other.id,
  ]);
});

test('firstChoices selects a model that has a ready worker, or no model if no worker is ready', () => {
  const warm = { ...MODEL, id: 'svc-asr-dholuo-v1', ready: true };
  expect(firstChoices([MODEL, warm]).model).toBe(warm.id);
  expect(firstChoices([MODEL]).model).toBe('');
});

test('configOf returns the language of the model, and the context and the pause that the user chose', () => {
  expect(configOf(NO_CHOICES, MODEL)).toEqual({ language: 'ki' });
  expect(configOf({ ...NO_CHOICES, context: '56,3', silence: '500' }, MODEL)).toEqual({
    language: 'ki',
    context: [56, 3],
    endpointing: { silence_ms: 500 },
  });
});

test('configOf leaves out a context that the model does not have', () => {
  expect(configOf({ ...NO_CHOICES, context: '70,13' }, MODEL)).toEqual({ language: 'ki' });
});

test.each([
  ['an account without credit', 5, { live: 0, availableMs: 999 }, 'noCredit'],
  ['an account that may run one session', 1, { live: 0, availableMs: 1000 }, 'onlySession'],
  ['an account with one free session', 5, { live: 4, availableMs: 1000 }, 'lastSession'],
  ['an account without a free session', 5, { live: 5, availableMs: 1000 }, 'allInUse'],
  ['an account with two free sessions', 5, { live: 3, availableMs: 1000 }, undefined],
  ['an unknown account that may run several sessions', 5, undefined, undefined],
] as const)('conflictOf for %s (at most %i sessions, current state %j) returns %s', (_, limit, account, expected) => {
  expect(conflictOf(limit, account)).toBe(expected);
});
