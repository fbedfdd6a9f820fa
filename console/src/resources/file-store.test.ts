import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tenant } from '@svc-asr/core';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openFileStore } from './file-store.ts';

const tenant = (name: string, displayName = name) =>
  `apiVersion: asr.svc.dev/v1\nkind: Tenant\nmetadata: {name: ${name}}\nspec: {displayName: ${displayName}}\n`;

async function open() {
  const home = temporaryFolder('store');
  const [folder, readFolder] = [join(home, 'config'), join(home, 'local')];
  mkdirSync(readFolder);
  const store = await openFileStore({ folder, readFolders: [readFolder], now: () => 0 });
  return { folder, readFolder, store };
}

const rename = (displayName: string) => (current: Tenant | undefined) => {
  if (current === undefined) throw new Error('the tenant does not exist');
  return { ...current, spec: { ...current.spec, displayName } };
};

test('the file store lists the resources of a file that it did not create, but does not change this file', async () => {
  const { folder, store } = await open();
  writeFileSync(join(folder, 'mine.yaml'), `${tenant('a')}---\n${tenant('b')}`);
  writeFileSync(join(folder, 'tenant-c.yaml'), `${tenant('c')}---\n${tenant('d')}`);
  const names = (await store.list('Tenant')).map(({ resource }) => resource.metadata.name);
  expect(names).toEqual(['a', 'b', 'c', 'd']);
  for (const name of names) await expect(store.update('Tenant', name, rename('x'))).rejects.toThrow('must not write');
  await expect(store.delete('Tenant', 'a')).rejects.toThrow('must not write');
});

test('of two definitions with the same name, the file store uses the one in the read-only folder', async () => {
  const { folder, readFolder, store } = await open();
  writeFileSync(join(folder, 'tenant-a.yaml'), tenant('a', 'written'));
  expect((await store.get('Tenant', 'a'))?.readOnlyIn).toBeUndefined();
  writeFileSync(join(readFolder, 'x.yaml'), tenant('a', 'read'));
  const found = await store.get('Tenant', 'a');
  expect([found?.resource.spec.displayName, found?.readOnlyIn]).toEqual(['read', join(readFolder, 'x.yaml')]);
});

test('the file store returns a manual edit on the next read', async () => {
  const { folder, store } = await open();
  const file = join(folder, 'tenant-a.yaml');
  for (const displayName of ['one', 'two', 'six']) {
    writeFileSync(file, tenant('a', displayName));
    expect((await store.get('Tenant', 'a'))?.resource.spec.displayName).toBe(displayName);
  }
});

test('changing a returned resource does not change the file store', async () => {
  const { folder, store } = await open();
  writeFileSync(join(folder, 'tenant-a.yaml'), tenant('a'));
  const found = await store.get('Tenant', 'a');
  if (found !== undefined) found.resource.spec.displayName = 'changed';
  expect((await store.get('Tenant', 'a'))?.resource.spec.displayName).toBe('a');
});

test('concurrent updates of the file store run one after the other', async () => {
  const { folder, store } = await open();
  writeFileSync(join(folder, 'tenant-a.yaml'), tenant('a', 'n'));
  const append = (current: Tenant | undefined) => rename(`${current?.spec.displayName ?? ''}+`)(current);
  await Promise.all(Array.from({ length: 30 }, () => store.update('Tenant', 'a', append)));
  expect((await store.get('Tenant', 'a'))?.resource.spec.displayName).toBe(`n${'+'.repeat(30)}`);
});

test('the file store writes nothing if the change function throws, and still runs the next update', async () => {
  const { folder, store } = await open();
  const file = join(folder, 'tenant-a.yaml');
  writeFileSync(file, tenant('a'));
  await expect(store.update('Tenant', 'b', rename('x'))).rejects.toThrow('the tenant does not exist');
  expect(readFileSync(file, 'utf8')).toBe(tenant('a'));
  await store.update('Tenant', 'a', rename('x'));
  expect(readdirSync(folder)).toEqual(['tenant-a.yaml']);
});

test('the file store deletes temporary files of a killed process at the start, and ignores other hidden files', async () => {
  const { folder, readFolder } = await open();
  writeFileSync(join(folder, '.tenant-a.yaml.0123.temporary'), 'half');
  writeFileSync(join(folder, '.hidden.yaml'), tenant('hidden'));
  const store = await openFileStore({ folder, readFolders: [readFolder], now: () => 0 });
  expect(readdirSync(folder)).toEqual(['.hidden.yaml']);
  expect(await store.list('Tenant')).toEqual([]);
});

test('the file store lists the valid documents of a damaged file, and does not fail because of other damaged files', async () => {
  const { folder, store } = await open();
  writeFileSync(join(folder, 'bad.yaml'), 'a: [');
  writeFileSync(join(folder, 'half.yaml'), `${tenant('good')}---\nkind: Nothing\n---\n`);
  writeFileSync(join(folder, 'bomb.yaml'), `a: &a [x,x]\nb: &b [${'*a,'.repeat(200)}]\nc: [${'*b,'.repeat(200)}]\n`);
  mkdirSync(join(folder, 'folder.yaml'));
  expect((await store.list('Tenant')).map(({ resource }) => resource.metadata.name)).toEqual(['good']);
});

test('delete() of the file store returns false for a resource that does not exist', async () => {
  const { folder, store } = await open();
  writeFileSync(join(folder, 'tenant-a.yaml'), tenant('a'));
  expect([await store.delete('Tenant', 'a'), await store.delete('Tenant', 'a')]).toEqual([true, false]);
});

test('the file store refuses to delete a tenant whose file is a folder, and changes nothing', async () => {
  const { folder, store } = await open();
  const file = join(folder, 'tenant-a.yaml');
  mkdirSync(file);
  writeFileSync(join(file, 'x'), '');
  chmodSync(file, 0o700);
  await expect(store.delete('Tenant', 'a')).rejects.toThrow('Repair or delete the file');
  expect(readdirSync(folder)).toEqual(['tenant-a.yaml']);
});

test('the file store reports unreadable files with their problem, without their text', async () => {
  const { folder, readFolder, store } = await open();
  writeFileSync(join(folder, 'apikey-a.yaml'), 'hash: "0123secret4567\n');
  writeFileSync(join(folder, 'apikey-b.yaml'), '');
  writeFileSync(join(folder, 'tenant-c.yaml'), tenant('c'));
  writeFileSync(join(readFolder, 'notes.yaml'), '# nothing yet\n');
  const unreadable = await store.unreadable();
  expect(unreadable).toEqual([
    { file: join(folder, 'apikey-a.yaml'), problem: expect.stringMatching(/\w/) },
    { file: join(folder, 'apikey-b.yaml'), problem: 'it contains no resource' },
  ]);
  expect(JSON.stringify(unreadable)).not.toContain('secret');
});

test.each(['kind: [', ''])(
  'the file store deletes a key whose damaged file contains %j, and refuses to delete a tenant with such a file',
  async (text) => {
    const { folder, store } = await open();
    for (const name of ['apikey-a.yaml', 'tenant-a.yaml', 'mine.yaml']) writeFileSync(join(folder, name), text);
    await expect(store.get('ApiKey', 'a')).rejects.toThrow('Repair or delete the file');
    await expect(store.delete('Tenant', 'a')).rejects.toThrow('Repair or delete the file');
    await expect(store.delete('ApiKey', 'x/../tenant-a')).rejects.toThrow('Repair or delete the file');
    expect([await store.delete('ApiKey', 'a'), await store.delete('ApiKey', 'a')]).toEqual([true, false]);
    expect(readdirSync(folder)).toEqual(['mine.yaml', 'tenant-a.yaml']);
  },
);

test('the file store does not delete a damaged key file that also contains another resource', async () => {
  const { folder, store } = await open();
  writeFileSync(join(folder, 'apikey-a.yaml'), `${tenant('t')}---\nkind: [\n`);
  await expect(store.delete('ApiKey', 'a')).rejects.toThrow('Repair or delete the file');
  expect(readdirSync(folder)).toEqual(['apikey-a.yaml']);
});

test('the file store finds the Members of a tenant and the Members of a user, and traces() lists the names of the Members of a tenant', async () => {
  const { folder, store } = await open();
  const member = (name: string, owner: string, subject: string) =>
    `apiVersion: asr.svc.dev/v1\nkind: Member\nmetadata: {name: ${name}}\n` +
    `spec: {tenant: ${owner}, role: owner, issuer: "https://login.example", subject: ${subject}}\n`;
  writeFileSync(join(folder, 'member-a.yaml'), member('a', 'acme', 'grace'));
  writeFileSync(join(folder, 'member-b.yaml'), member('b', 'other', 'grace'));
  writeFileSync(join(folder, 'member-c.yaml'), member('c', 'acme', 'ada'));
  const names = (list: readonly { resource: { metadata: { name: string } } }[]) =>
    list.map(({ resource }) => resource.metadata.name);
  expect(names(await store.membersOf('acme'))).toEqual(['a', 'c']);
  expect(names(await store.membershipsOf({ issuer: 'https://login.example', subject: 'grace' }))).toEqual(['a', 'b']);
  expect((await store.traces('acme')).memberNames).toEqual(['a', 'c']);
  expect(await store.delete('Member', 'a')).toBe(true);
  expect(names(await store.membersOf('acme'))).toEqual(['c']);
});
