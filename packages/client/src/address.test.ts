import { checkAddress } from './address.ts';

test.each([
  ['https://asr.example/', 'https://asr.example'],
  ['https://asr.example/base//', 'https://asr.example/base'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://localhost:1', 'http://localhost:1'],
  ['http://[::1]:1', 'http://[::1]:1'],
])('checkAddress accepts %s', (address, expected) => {
  expect(checkAddress(address, 'baseUrl')).toBe(expected);
});

test.each([
  ['asr.example', 'is not a URL'],
  ['http://asr.example', 'must start with https://'],
  ['http://127.0.0.1.asr.example', 'must start with https://'],
  ['ftp://localhost', 'must start with https://'],
  ['https://user:hunter2@asr.example', 'must not contain a user, password'],
  ['https://asr.example/?key=x', 'must not contain a user, password'],
])('checkAddress refuses %s with an error that does not quote a password', (address, message) => {
  expect(() => checkAddress(address, 'baseUrl')).toThrow(`baseUrl ${message}`);
  expect(() => checkAddress(address, 'baseUrl')).not.toThrow('hunter2');
});
