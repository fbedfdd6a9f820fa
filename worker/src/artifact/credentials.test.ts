import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCredentials } from './credentials.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-credentials-'))));
afterEach(() => rmSync(folder, { recursive: true }));
const write = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
};

test('readCredentials returns no credentials if there is no folder or the folder is empty', () => {
  expect(readCredentials('')).toEqual({ header: undefined, ca: undefined });
  expect(readCredentials(folder)).toEqual({ header: undefined, ca: undefined });
});

test.each([
  [{ username: 'me', password: 'word\n' }, ['authorization', 'Basic bWU6d29yZA==']],
  [{ token: ' abc \n' }, ['authorization', 'Bearer abc']],
  [{ header: 'X-Api-Key: a: b\n' }, ['x-api-key', 'a: b']],
])('readCredentials converts %j to a header', (files, header) => {
  write(files);
  expect(readCredentials(folder).header).toEqual(header);
});

test('readCredentials returns the CA certificates of the Secret', () => {
  write({ 'ca.crt': 'PEM' });
  expect(readCredentials(folder).ca).toBe('PEM');
});

test.each([
  [{ token: 'secret\nX: y' }, 'not allowed in a header'],
  [{ header: 'no colon secret' }, 'not of the form'],
  [{ header: 'bad name secret: x' }, 'not of the form'],
  [{ token: 'secret', username: 'secret' }, 'several credentials'],
])('readCredentials refuses %j with an error that does not contain the secret', (files, why) => {
  write(files);
  expect(() => readCredentials(folder)).toThrow(why);
  expect(() => readCredentials(folder)).not.toThrow('secret');
});
