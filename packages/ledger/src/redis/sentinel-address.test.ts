import { isSentinelAddress, parseSentinelUrl } from './sentinel-address.ts';

test('parseSentinelUrl reads the sentinels, the name of the primary, TLS and both users', () => {
  const first = 'rediss+sentinel://app:p%40ss@one:7000/ledger?sentinel_username=watch&sentinel_password=w%2Cw';
  expect(parseSentinelUrl([first, 'rediss+sentinel://[::1]/ledger'])).toEqual({
    sentinels: [
      { host: 'one', port: 7000 },
      { host: '::1', port: 26_379 },
    ],
    primaryName: 'ledger',
    tls: true,
    user: { username: 'app', password: 'p@ss' },
    sentinelUser: { username: 'watch', password: 'w,w' },
  });
});

test('parseSentinelUrl reads an address without TLS and users', () => {
  expect(parseSentinelUrl(['redis+sentinel://one/ledger'])).toMatchObject({ tls: false, user: {}, sentinelUser: {} });
});

test.each([
  ['without the name of the primary', ['redis+sentinel://u:secret@one'], 'must have the name of the same primary'],
  [
    'with two names of the primary',
    ['redis+sentinel://one/a', 'redis+sentinel://u:secret@two/b'],
    'name of the same primary',
  ],
  ['with two schemes', ['redis+sentinel://u:secret@one/a', 'redis://two/a'], 'must have the same scheme'],
  ['that is not a URL', ['redis+sentinel://one/a', 'redis+sentinel://u:secret@two:port/a'], 'cannot be parsed'],
])('parseSentinelUrl refuses an address %s, and its error does not contain the password', (_, addresses, message) => {
  expect(() => parseSentinelUrl(addresses)).toThrow(message);
  expect(() => parseSentinelUrl(addresses)).not.toThrow('secret');
});

test.each([
  ['redis+sentinel://one/ledger', true],
  ['rediss+sentinel://one/ledger', true],
  ['redis://one', false],
  ['rediss://sentinel', false],
])('isSentinelAddress(%s) is %s', (address, expected) => {
  expect(isSentinelAddress(address)).toBe(expected);
});
