import { advertisedAddress } from './address.ts';

const settings = { ADVERTISE_ADDRESS: '', HOST: '127.0.0.1', TLS_CERT_FILE: '' };

test('advertisedAddress is built from HOST and the port unless ADVERTISE_ADDRESS is set', () => {
  expect(advertisedAddress(settings, 7001)).toBe('ws://127.0.0.1:7001');
  expect(advertisedAddress({ ...settings, TLS_CERT_FILE: 'cert.pem' }, 7001)).toBe('wss://127.0.0.1:7001');
  expect(advertisedAddress({ ...settings, HOST: '::1' }, 7001)).toBe('ws://[::1]:7001');
  expect(advertisedAddress({ ...settings, HOST: '::', ADVERTISE_ADDRESS: 'ws://10.0.0.7:80' }, 7001)).toBe(
    'ws://10.0.0.7:80',
  );
});

test('advertisedAddress throws if HOST is a wildcard address and ADVERTISE_ADDRESS is empty', () => {
  expect(() => advertisedAddress({ ...settings, HOST: '0.0.0.0' }, 7001)).toThrow('set ADVERTISE_ADDRESS');
});
