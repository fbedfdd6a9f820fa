import { PassThrough } from 'node:stream';
import type { Model } from '@svc-asr/core';
import { askModel, findModel } from './ask-model.ts';
import { InterruptedError } from './exit.ts';

const MODELS = [
  { id: 'kikuyu', language: 'Kikuyu', language_code: 'ki' },
  { id: 'dholuo', language: 'Dholuo', language_code: 'luo' },
] as Model[];

/**
 * Calls the function that askModel returns. Answers its questions with the characters that a terminal sends for these
 * keys.
 */
function press(...keys: string[]): Promise<Model | undefined> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  stderr.on('data', (text: Buffer) => {
    const next = text.includes('Language: ') ? keys.shift() : undefined;
    if (next !== undefined) stdin.write(next);
  });
  return askModel({ stdin, stderr, json: false })(MODELS);
}

test('askModel asks again until the answer names a model, and returns this model', async () => {
  expect(await press('x\r', '2\r')).toBe(MODELS[1]);
});

test.each(['sw-KE', 'sw-ke', 'SWAHILI', 'swahili-Numbers', '1'])(
  'findModel finds a model by language code, language, id or number and ignores letter case: %s',
  (answer) => {
    const model = { id: 'swahili-numbers', language: 'Swahili', language_code: 'sw-KE' } as Model;
    expect(findModel([model], answer)).toBe(model);
    expect(findModel([model], '')).toBeUndefined();
  },
);

test('askModel rejects with InterruptedError at Ctrl-C', async () => {
  await expect(press('\x03')).rejects.toThrow(InterruptedError);
});

test('askModel returns undefined at Ctrl-D', async () => {
  expect(await press('\x04')).toBeUndefined();
});
