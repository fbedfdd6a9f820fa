import { IDENTITY_SETTINGS } from './settings.ts';

const { OIDC_ADMIN_GROUPS, OIDC_ISSUER, CONSOLE_URL } = IDENTITY_SETTINGS;

test('OIDC_ADMIN_GROUPS maps groups to roles, including groups whose name contains an equals sign', () => {
  expect([...OIDC_ADMIN_GROUPS.read('a=administrator, cn=audit=auditor')]).toEqual([
    ['a', 'administrator'],
    ['cn=audit', 'auditor'],
  ]);
  expect(OIDC_ADMIN_GROUPS.read('').size).toBe(0);
});

test.each(['a', 'a=', 'a=owner', '=administrator', 'administrator'])('OIDC_ADMIN_GROUPS rejects %j', (value) => {
  expect(() => OIDC_ADMIN_GROUPS.read(value)).toThrow('is not GROUP=administrator or GROUP=auditor');
});

test('OIDC_ISSUER.read() keeps a slash at the end of the value, and CONSOLE_URL.read() removes such a slash', () => {
  expect(OIDC_ISSUER.read('https://login.example/')).toBe('https://login.example/');
  expect(CONSOLE_URL.read('https://console.example/')).toBe('https://console.example');
});

test.each(['http://login.example', 'login.example', 'ftp://localhost', 'http://localhost.example'])(
  'OIDC_ISSUER rejects %j, which is not HTTPS',
  (value) => {
    expect(() => OIDC_ISSUER.read(value)).toThrow('https://');
  },
);

test.each(['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000', ''])(
  'OIDC_ISSUER accepts %j',
  (value) => {
    expect(OIDC_ISSUER.read(value)).toBe(value);
  },
);
