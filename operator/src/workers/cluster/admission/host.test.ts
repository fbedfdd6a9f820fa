import { checkHostEntry, hostOfImage, hostOfUrl, isAllowedHost } from './host.ts';

test.each([
  ['https://models.example/a.tar.gz', 'models.example:443'],
  ['https://MODELS.example:8443?a=1', 'models.example:8443'],
  ['https://models.example\\@evil.example/a', 'models.example:443'],
  ['https://[::1]/a', '[::1]:443'],
  ['models.example', undefined],
])('hostOfUrl(%j) is %j', (url, host) => {
  expect(hostOfUrl(url)).toBe(host);
});

test.each([
  ['registry.example/models/kikuyu:3', 'registry.example:443'],
  ['registry.example:5000/kikuyu@sha256:00', 'registry.example:5000'],
  ['localhost/kikuyu', 'localhost:443'],
  ['models/kikuyu:3', 'docker.io:443'],
  ['kikuyu:3', 'docker.io:443'],
])('hostOfImage(%s) is %s', (reference, host) => {
  expect(hostOfImage(reference)).toBe(host);
});

test.each([
  ['models.example:443', 'models.example', true],
  ['models.example:8443', 'models.example', false],
  ['models.example:8443', 'Models.Example:8443', true],
  ['a.models.example:443', 'models.example', false],
  ['a.models.example:443', '*.models.example', true],
  ['a.b.models.example:8443', '*.models.example:8443', true],
  ['models.example:443', '*.models.example', false],
  ['evilmodels.example:443', '*.models.example', false],
  ['models.example.evil:443', '*.models.example', false],
  ['evil.example:1', '*', true],
])('isAllowedHost(%s) with the entry %s is %s', (host, entry, allowed) => {
  expect(isAllowedHost(host, [entry])).toBe(allowed);
  expect(isAllowedHost(host, [])).toBe(false);
});

test('checkHostEntry refuses URLs and wildcards within names', () => {
  for (const entry of ['models.example', 'models.example:8443', '*.models.example:8443', '[::1]:8443', '*']) {
    expect(checkHostEntry(entry)).toBe(entry);
  }
  for (const entry of ['https://models.example', 'models.example/a', 'models.*', '*models.example', 'a b', '*:443']) {
    expect(() => checkHostEntry(entry)).toThrow(`"${entry}"`);
  }
});
