import { RedisUsers } from './redis-users.ts';

function create(url = 'redis://operator:secret@redis:6379') {
  const commands: string[][] = [];
  const send = (command: readonly string[]) => {
    commands.push([...command]);
    return Promise.resolve('OK');
  };
  let changes = 0;
  const link = { masters: () => [{ send }, { send }] };
  const users = new RedisUsers({ link, url, prefix: 'svc', onChange: () => changes++ });
  return { users, commands, changes: () => changes };
}

test('urlOf returns a URL with a new password if the model has no URL yet, and otherwise with the existing password', () => {
  const { users, changes } = create();
  const url = users.urlOf('m', undefined);
  expect(url).toMatch(/^redis:\/\/worker%3Asvc%3Am:[\w-]{43}@redis:6379$/);
  expect(changes()).toBe(1);
  expect(users.urlOf('m', url)).toBe(url);
  expect(changes()).toBe(1);
  expect(create().users.urlOf('m', url)).toBe(url);
});

test('urlOf returns URLs with different passwords for different models', () => {
  const { users } = create();
  const passwords = ['a', 'b'].map((model) => new URL(users.urlOf(model, undefined)).password);
  expect(new Set(passwords).size).toBe(2);
});

test.each([
  ['belongs to another model', 'redis://worker%3Asvc%3Aother:known@redis:6379'],
  ['is not a URL', 'nonsense'],
  ['has no password', 'redis://worker%3Asvc%3Am@redis:6379'],
])('urlOf returns a URL with a new password if the existing URL %s', (_, existing) => {
  expect(create().users.urlOf('m', existing)).toMatch(/:[\w-]{43}@/);
});

test('urlOf returns the Redis servers of the operator and the existing password, even if the existing URL has other servers', () => {
  const { users } = create('rediss://operator:x@new-a:1,rediss://operator:x@new-b:2');
  expect(users.urlOf('m', 'redis://worker%3Asvc%3Am:known@old:6379')).toBe(
    'rediss://worker%3Asvc%3Am:known@new-a:1,rediss://worker%3Asvc%3Am:known@new-b:2',
  );
});

test('urlOf copies the name of the primary and the credentials for the sentinels from the URL of the operator', () => {
  const { users } = create('rediss+sentinel://operator:x@a:26379/ledger?sentinel_username=s&sentinel_password=y');
  expect(users.urlOf('m', 'redis://worker%3Asvc%3Am:known@old:6379')).toBe(
    'rediss+sentinel://worker%3Asvc%3Am:known@a:26379/ledger?sentinel_username=s&sentinel_password=y',
  );
});

test('RedisUsers.apply sets the user of each model on each master, and RedisUsers.remove deletes the user of a model', async () => {
  const { users, commands } = create();
  users.urlOf('a', undefined);
  users.urlOf('b', undefined);
  await users.apply();
  expect(commands.map((words) => words.slice(0, 3).join(' '))).toEqual([
    ...Array<string>(2).fill('ACL SETUSER worker:svc:a'),
    ...Array<string>(2).fill('ACL SETUSER worker:svc:b'),
  ]);
  commands.length = 0;
  await users.remove('a');
  expect(commands).toEqual(Array(2).fill(['ACL', 'DELUSER', 'worker:svc:a']));
  commands.length = 0;
  await users.apply();
  expect(commands.every((words) => words[2] === 'worker:svc:b')).toBe(true);
});
