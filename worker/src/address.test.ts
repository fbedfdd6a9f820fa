import { advertisedAddresses } from './address.ts';

const settings = { ADVERTISE_ADDRESS: '', HOST: '127.0.0.1', TLS_CERT_FILE: '' };

test('advertisedAddresses returns addresses with HOST and the ports unless ADVERTISE_ADDRESS is set', () => {
  expect(advertisedAddresses(settings, [7001, 7005])).toEqual(['ws://127.0.0.1:7001', 'ws://127.0.0.1:7005']);
  expect(advertisedAddresses({ ...settings, TLS_CERT_FILE: 'cert.pem' }, [7001])).toEqual(['wss://127.0.0.1:7001']);
  expect(advertisedAddresses({ ...settings, HOST: '::1' }, [7001])).toEqual(['ws://[::1]:7001']);
});

test('advertisedAddresses returns addresses with consecutive ports that start with the port of ADVERTISE_ADDRESS', () => {
  const advertised = (address: string, threads: number) =>
    advertisedAddresses({ ...settings, HOST: '::', ADVERTISE_ADDRESS: address }, Array(threads).fill(7001));
  expect(advertised('ws://10.0.0.7:80', 1)).toEqual(['ws://10.0.0.7:80']);
  expect(advertised('wss://w.example', 2)).toEqual(['wss://w.example', 'wss://w.example:444']);
  expect(advertised('ws://[::1]:7000/', 3)).toEqual(['ws://[::1]:7000/', 'ws://[::1]:7001', 'ws://[::1]:7002']);
});

test('advertisedAddresses throws if HOST is a wildcard address and ADVERTISE_ADDRESS is empty', () => {
  expect(() => advertisedAddresses({ ...settings, HOST: '0.0.0.0' }, [7001])).toThrow('set ADVERTISE_ADDRESS');
});
