import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { choice, integer, list, readSettings, SettingsError, text, url } from './settings.ts';

const settings = {
  NAME: text('A name.'),
  PEPPER: text('A secret.', undefined, { secret: true }),
  WAIT_MS: integer('How long.', 100, 1, 1000),
  LEVEL: choice('How loud.', ['low', 'high'], 'low'),
  PROXIES: list('Which.'),
  PUBLIC_URL: url('Where.', ['https:'], 'https://localhost:8443'),
};

test('readSettings reads values from the environment, uses defaults, and reads a secret from a file', () => {
  const file = join(temporaryFolder('settings'), 'pepper');
  writeFileSync(file, 'salt\n');
  expect(readSettings(settings, { NAME: 'x', PEPPER_FILE: file, PROXIES: 'a, b,', PUBLIC_URL: 'https://h/' })).toEqual({
    NAME: 'x',
    PEPPER: 'salt',
    WAIT_MS: 100,
    LEVEL: 'low',
    PROXIES: ['a', 'b'],
    PUBLIC_URL: 'https://h',
  });
});

test('readSettings reports all invalid settings in one error', () => {
  const read = () => readSettings(settings, { WAIT_MS: '1001', LEVEL: 'mid', PUBLIC_URL: 'ftp://h' });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(/NAME is not set.*\nPEPPER is not set.*\nWAIT_MS: "1001".*\nLEVEL: "mid".*\nPUBLIC_URL: is not/);
});

test.each(['1', '1000'])('readSettings accepts %s, which is a bound of the range', (edge) => {
  expect(readSettings(settings, { NAME: 'x', PEPPER: 'p', WAIT_MS: edge }).WAIT_MS).toBe(Number(edge));
});

test.each(['0', '1001', '1.5', 'x', '1e9999'])(
  'readSettings refuses %s, which is not an integer within the range',
  (value) => {
    expect(() => readSettings(settings, { NAME: 'x', PEPPER: 'p', WAIT_MS: value })).toThrow('not an integer');
  },
);
