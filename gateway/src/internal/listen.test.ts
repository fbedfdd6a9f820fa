import { createLogger } from '@svc-asr/runtime';
import type { GatewaySettings } from '../settings.ts';
import { listenInternally } from './listen.ts';

const logger = createLogger('gateway', 'silent');
const settings = { INTERNAL_PORT: 0, INTERNAL_TLS_CERT_FILE: '', INTERNAL_TLS_KEY_FILE: '' } as GatewaySettings;
const createHandler = () => () => undefined;

test('the internal port is closed if INTERNAL_PORT is 0', async () => {
  await expect(listenInternally(settings, createHandler, logger)).resolves.toBeUndefined();
});

test.each([
  ['certificate', { INTERNAL_TLS_KEY_FILE: '/key' }],
  ['key', { INTERNAL_TLS_CERT_FILE: '/cert' }],
])('listenInternally rejects settings of the internal port that have no TLS %s', async (_missing, files) => {
  const given = { ...settings, INTERNAL_PORT: 9444, ...files };
  await expect(listenInternally(given, createHandler, logger)).rejects.toThrow(/^INTERNAL_PORT is set, so set/);
});
