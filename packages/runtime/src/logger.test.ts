import { randomBytes } from 'node:crypto';
import { generateApiKey } from '@svc-asr/core';
import { createLogger, logQuickly } from './logger.ts';

function captured(log: (logger: ReturnType<typeof createLogger>) => void): string {
  let output = '';
  log(createLogger('test', 'debug', { write: (line) => (output += line) }));
  return output;
}

test('the logger writes JSON lines with service, level, time and message', () => {
  const line = JSON.parse(captured((logger) => logger.info({ amount: 2 }, 'hello')));
  expect(line).toMatchObject({ service: 'test', level: 'info', message: 'hello', amount: 2 });
  expect(Date.parse(line.time)).not.toBeNaN();
});

test('logQuickly writes the same format as the logger and respects the log level', () => {
  const quick = (level: 'info' | 'error') => {
    let output = '';
    const logger = createLogger('test', level, { write: (line) => (output += line) });
    logQuickly(logger, '"amount":2,"route":"/v1/models"', 'request');
    return output;
  };
  const line = JSON.parse(quick('info'));
  expect(line).toMatchObject({ level: 'info', service: 'test', amount: 2, route: '/v1/models', message: 'request' });
  expect(Math.abs(Date.parse(line.time) - Date.now())).toBeLessThan(5000);
  expect(quick('error')).toBe('');
});

test('the logger redacts API keys, session credentials, bearer tokens and passwords in Redis URLs, wherever they are in a line', () => {
  const { key, keyId } = generateApiKey(randomBytes);
  const secret = key.slice(23);
  const output = captured((logger) => {
    logger.info({ headers: { authorization: `Bearer ${key}` } }, `key ${key}`);
    logger.error({ err: new Error(`bad svc.auth.abc-DEF_123 for redis://user:hunter2@host`) }, 'x');
    logger.warn('authorization: bearer abcd1234efgh');
    logger.warn('rediss+sentinel://app:hunter3@one/ledger?sentinel_username=watch&sentinel_password=hunter4');
  });
  for (const word of [secret, 'abc-DEF_123', 'hunter2', 'hunter3', 'hunter4', 'abcd1234efgh'])
    expect(output).not.toContain(word);
  expect(output).toContain(keyId);
  for (const line of output.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});
