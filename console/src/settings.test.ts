import { readSettings } from '@svc-asr/runtime';
import { CONSOLE_SETTINGS } from './settings.ts';

test.each(['TLS_CERT_FILE', 'TLS_KEY_FILE'] as const)('readSettings rejects %s if the file does not exist', (name) => {
  const read = () => readSettings({ [name]: CONSOLE_SETTINGS[name] }, { [name]: '/no/such/file.pem' });
  expect(read).toThrow(`${name}: the file /no/such/file.pem does not exist`);
});
