import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readProfile } from './profile.ts';

/** Writes the file of profiles and returns an environment that names its folder. */
function environmentWith(text: string, mode = 0o600): { XDG_CONFIG_HOME: string; file: string } {
  const folder = temporaryFolder('config');
  mkdirSync(join(folder, 'svc-asr'));
  const file = join(folder, 'svc-asr', 'config.json');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return { XDG_CONFIG_HOME: folder, file };
}

const profiles = (staging: unknown) => JSON.stringify({ profiles: { staging, live: { base_url: 'https://live' } } });

test('readProfile returns the fields of a profile, and resolves ca_file from the folder of the configuration file', () => {
  const env = environmentWith(profiles({ base_url: 'https://s', api_key: 'k', ca_file: 'ca.pem' }));
  const caFile = join(env.XDG_CONFIG_HOME, 'svc-asr', 'ca.pem');
  expect(readProfile('staging', env)).toEqual({ base_url: 'https://s', api_key: 'k', ca_file: caFile });
  expect(readProfile('live', env)).toEqual({ base_url: 'https://live' });
});

test('readProfile reads .config in the home folder if XDG_CONFIG_HOME is not set', () => {
  const home = temporaryFolder('home');
  mkdirSync(join(home, '.config', 'svc-asr'), { recursive: true });
  writeFileSync(join(home, '.config', 'svc-asr', 'config.json'), profiles({ base_url: 'https://s' }), { mode: 0o600 });
  expect(readProfile('staging', { HOME: home })).toEqual({ base_url: 'https://s' });
});

test.each([
  [profiles({ base_url: 'https://s' }), 'toString', 'has no profile "toString". It has: staging, live'],
  ['{"profiles": {}}', 'staging', 'It has: none'],
  ['{"profiles": []}', 'staging', 'must contain an object "profiles"'],
  ['null', 'staging', 'must contain an object "profiles"'],
  ['{"api_key": s3cret', 'staging', 'is not JSON. Correct it'],
  [profiles('x'), 'staging', 'must be an object'],
  [profiles({ base_url: 7 }), 'staging', 'base_url must be a text'],
  [profiles({ url: 'https://s' }), 'staging', 'unknown field "url". Fields are base_url, admin_url'],
  [profiles({ api_key: 'k' }), 'staging', 'must have base_url or admin_url'],
])('readProfile refuses the file %s for the profile %s', (text, name, message) => {
  expect(() => readProfile(name, environmentWith(text))).toThrow(message);
});

test('readProfile refuses a file that other users may read, and accepts a file that only its owner may read', () => {
  const text = profiles({ base_url: 'https://s' });
  expect(() => readProfile('staging', environmentWith(text, 0o640))).toThrow('Run: chmod 600');
  expect(() => readProfile('staging', environmentWith(text, 0o604))).toThrow('Run: chmod 600');
  expect(readProfile('staging', environmentWith(text, 0o400))).toEqual({ base_url: 'https://s' });
});

test('readProfile throws an error that describes the file to create if no file exists', () => {
  const env = { XDG_CONFIG_HOME: temporaryFolder('config') };
  expect(() => readProfile('staging', env)).toThrow(/config\.json does not exist\. Create it .*"staging"/);
});
