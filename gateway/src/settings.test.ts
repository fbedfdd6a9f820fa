import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '@svc-asr/runtime';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { GATEWAY_SETTINGS } from './settings.ts';

const { TRUSTED_PROXIES, TLS_CERT_FILE, TLS_KEY_FILE } = GATEWAY_SETTINGS;
const settings = { TRUSTED_PROXIES, TLS_CERT_FILE, TLS_KEY_FILE };

test('TRUSTED_PROXIES accepts addresses, networks and names of private ranges', () => {
  const value = '10.0.0.1, 10.0.0.0/8,::1,fd00::/8,loopback,linklocal,uniquelocal';
  expect(readSettings(settings, { TRUSTED_PROXIES: value }).TRUSTED_PROXIES).toHaveLength(7);
});

test.each(['proxy.example', '10.0.0', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/8/8', '::/129', '10.0.0.1/', 'true', '1'])(
  'TRUSTED_PROXIES rejects the value %s with an error that names the setting',
  (entry) => {
    const read = () => readSettings(settings, { TRUSTED_PROXIES: `10.0.0.1,${entry}` });
    expect(read).toThrow(`TRUSTED_PROXIES: "${entry}" is neither an IP address, nor a network`);
  },
);

test('TLS_CERT_FILE and TLS_KEY_FILE must be paths of existing files', () => {
  const folder = temporaryFolder('settings');
  const [there, missing] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(there, '');
  const read = () => readSettings(settings, { TLS_CERT_FILE: there, TLS_KEY_FILE: missing });
  expect(read).toThrow(`TLS_KEY_FILE: the file ${missing} does not exist`);
  expect(() => readSettings(settings, { TLS_CERT_FILE: folder })).toThrow(
    `TLS_CERT_FILE: the file ${folder} does not exist`,
  );
  expect(readSettings(settings, { TLS_CERT_FILE: there })).toMatchObject({ TLS_CERT_FILE: there, TLS_KEY_FILE: '' });
});
