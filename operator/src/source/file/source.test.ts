import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNotices } from '../../notices.ts';
import { eventually } from '../../testing/eventually.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { model, tenant, yaml } from '../../testing/resources.ts';
import { createFileSource } from './source.ts';
import type { ResourceSource } from '../source.ts';

let root: string;
let folder: string;
const sources: ResourceSource[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-asr-source-'));
  folder = join(root, 'one');
  mkdirSync(folder);
});

afterEach(async () => {
  for (const source of sources.splice(0)) await source.stop();
  rmSync(root, { recursive: true, force: true });
});

async function start(folders = [folder], { settleMs = 50, deleteGraceMs = 100 } = {}) {
  const { logger, at } = createTestLogger();
  const times = { pollMs: 10, settleMs, deleteGraceMs };
  const source = createFileSource({ folders, ...times, logger, notices: createNotices() });
  sources.push(source);
  const events: string[] = [];
  await source.start({ onChange: (key) => events.push(key), onSettled: () => events.push('settled') });
  const names = () => source.list().map(({ metadata }) => metadata.name);
  return { source, events, names, at, title: (name: string) => source.get('Tenant', name)?.spec.displayName };
}

const file = (name: string) => join(folder, name);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Time in which the source certainly applies a new, changed or deleted file. */
const LONG_MS = 400;

/** Writes a file with an old modification time. */
function writeOld(path: string, content: string): void {
  writeFileSync(path, content);
  utimesSync(path, 1, 1);
}

test('the file source has the YAML and JSON resources of the folders after the first scan, and ignores other files', async () => {
  writeOld(file('a.yaml'), yaml(tenant('a'), model('m')));
  writeOld(file('b.yml'), yaml(tenant('b')));
  writeOld(file('c.json'), JSON.stringify(tenant('c')));
  for (const name of ['d.txt', '.e.yaml', 'f.yaml~', 'g.yaml.swp']) writeOld(file(name), yaml(tenant('other')));
  mkdirSync(file('h.yaml'));
  const { source, names, events } = await start();
  expect(names()).toEqual(['a', 'm', 'b', 'c']);
  expect(source.unsettled()).toBeUndefined();
  expect(events).toEqual(['Tenant/a', 'ASRModel/m', 'Tenant/b', 'Tenant/c', 'settled']);
});

test('the file source reads files that were written just before its start', async () => {
  writeFileSync(file('a.yaml'), yaml(tenant('a')));
  const { source, names } = await start([folder], { settleMs: 300 });
  expect([names(), source.unsettled()]).toEqual([['a'], undefined]);
});

test('the file source applies files that are added, edited in place, edited by rename and deleted', async () => {
  const { names, events, title } = await start();
  writeFileSync(file('a.yaml'), yaml(tenant('a')));
  await eventually(() => expect(names()).toEqual(['a']));
  writeFileSync(file('a.yaml'), yaml(tenant('a', { displayName: 'In place' })));
  await eventually(() => expect(title('a')).toBe('In place'));
  writeFileSync(file('.a.yaml.tmp'), yaml(tenant('a', { displayName: 'By rename' })));
  renameSync(file('.a.yaml.tmp'), file('a.yaml'));
  await eventually(() => expect(title('a')).toBe('By rename'));
  rmSync(file('a.yaml'));
  await eventually(() => expect(names()).toEqual([]));
  expect(events).toEqual(['settled', 'Tenant/a', 'Tenant/a', 'Tenant/a', 'Tenant/a']);
});

test('the file source reports no change when a file is touched or only its comments change', async () => {
  writeOld(file('a.yaml'), yaml(tenant('a')));
  const { events } = await start();
  events.length = 0;
  writeFileSync(file('a.yaml'), `# new\n${yaml(tenant('a'))}`);
  await pause(LONG_MS);
  expect(events).toEqual([]);
});

test('the file source reports an error in a file with its document and field, repeats the report only after the file has changed, and keeps the last valid resources', async () => {
  writeOld(file('a.yaml'), yaml(tenant('a'), tenant('b')));
  const { source, names, at, title } = await start();
  writeFileSync(file('a.yaml'), yaml(tenant('a', { displayName: 'New' }), tenant('b', { state: 'Closed' })));
  await eventually(() => expect(at('error')).toHaveLength(1));
  expect(at('error')[0]).toMatchObject({
    file: file('a.yaml'),
    problems: [
      { document: 2, field: 'spec.state', line: expect.any(Number), message: expect.stringMatching(/Active/) },
    ],
  });
  expect(at('error')[0]!.message).toContain('its last valid content stays effective: document 2, line ');
  expect(source.invalidCount()).toBe(1);
  utimesSync(file('a.yaml'), 1, 1);
  await pause(LONG_MS);
  expect(at('error')).toHaveLength(1);
  expect([names(), title('a')]).toEqual([['a', 'b'], 'a']);

  writeFileSync(file('a.yaml'), `# still bad\n${yaml(tenant('a'), tenant('b', { state: 'Closed' }))}`);
  await eventually(() => expect(at('error')).toHaveLength(2));
  writeFileSync(file('a.yaml'), yaml(tenant('a', { displayName: 'Good' })));
  await eventually(() => expect(names()).toEqual(['a']));
  expect([title('a'), source.invalidCount()]).toEqual(['Good', 0]);
  expect(at('info').map(({ message }) => message)).toEqual([`${file('a.yaml')} is valid again`]);
});

test.each(['', '# all resources are deleted\n', '---\n'])(
  'the file source rejects a file that now contains %j instead of resources, until the file is deleted',
  async (content) => {
    writeOld(file('a.yaml'), yaml(tenant('a')));
    const { source, names, at, events } = await start();
    events.length = 0;
    writeFileSync(file('a.yaml'), content);
    await eventually(() => expect(source.invalidCount()).toBe(1));
    expect(at('error')[0]!.message).toMatch(/its last valid content stays effective: is empty but contained resources/);
    await pause(LONG_MS);
    expect([names(), events]).toEqual([['a'], []]);
    rmSync(file('a.yaml'));
    await eventually(() => expect(names()).toEqual([]));
    expect(source.invalidCount()).toBe(0);
  },
);

test('the file source accepts an empty file that never contained resources', async () => {
  writeOld(file('a.yaml'), '');
  const { source } = await start();
  expect([source.invalidCount(), source.unsettled()]).toEqual([0, undefined]);
});

test('unsettled() of the file source names a file that has never been valid, and always returns undefined after all files have been valid once', async () => {
  writeOld(file('a.yaml'), 'kind: nonsense\n');
  writeOld(file('b.yaml'), yaml(tenant('b')));
  const { source, names, events } = await start();
  expect(names()).toEqual(['b']);
  expect(source.unsettled()).toBe(`file ${file('a.yaml')} has not been valid yet`);
  writeFileSync(file('a.yaml'), yaml(tenant('a')));
  await eventually(() => expect(source.unsettled()).toBeUndefined());
  expect(events).toEqual(['Tenant/b', 'Tenant/a', 'settled']);
  writeFileSync(file('new.yaml'), 'kind: nonsense\n');
  await eventually(() => expect(source.invalidCount()).toBe(1));
  expect(source.unsettled()).toBeUndefined();
});

test('of two files that define the same resource, the file source uses the file that defined it earlier, until that file is deleted', async () => {
  writeOld(file('b.yaml'), yaml(tenant('a', { displayName: 'First' })));
  const { source, names, at, title } = await start();
  writeFileSync(file('a.yaml'), yaml(tenant('a', { displayName: 'Second' }), tenant('c')));
  await eventually(() => expect(at('error')).toHaveLength(1));
  expect(at('error')[0]).toMatchObject({ file: file('a.yaml'), problems: [{ document: 1, field: 'metadata.name' }] });
  expect(at('error')[0]!.message).toContain(`Tenant/a is already defined in ${file('b.yaml')}`);
  expect([title('a'), names().sort(), source.invalidCount()]).toEqual(['First', ['a', 'c'], 1]);
  writeFileSync(file('b.yaml'), yaml(tenant('a', { displayName: 'First, edited' })));
  await eventually(() => expect(title('a')).toBe('First, edited'));
  rmSync(file('b.yaml'));
  await eventually(() => expect(title('a')).toBe('Second'));
  await eventually(() => expect(source.invalidCount()).toBe(0));
});

test('the file source does not read a file while it is being written', async () => {
  const whole = yaml(tenant('a'), tenant('b'), tenant('c'));
  writeOld(file('a.yaml'), whole);
  const { names, events, at } = await start([folder], { settleMs: 3000 });
  events.length = 0;
  for (let length = 0; length < whole.length; length += 40) {
    writeFileSync(file('a.yaml'), whole.slice(0, length));
    await pause(20);
  }
  writeFileSync(file('a.yaml'), `${whole}---\n${yaml(tenant('d'))}`);
  await eventually(() => expect(names()).toEqual(['a', 'b', 'c', 'd']));
  expect([events, at('error')]).toEqual([['Tenant/d'], []]);
});

test('the file source deletes nothing when a file is recreated or a resource moves to another file', async () => {
  writeOld(file('a.yaml'), yaml(tenant('a'), tenant('b')));
  const { names, events } = await start([folder], { deleteGraceMs: 5000 });
  events.length = 0;
  rmSync(file('a.yaml'));
  await pause(50);
  writeFileSync(file('a.yaml'), yaml(tenant('a'), tenant('b'), tenant('c')));
  await eventually(() => expect(names()).toEqual(['a', 'b', 'c']));
  writeFileSync(file('a.yaml'), yaml(tenant('a'), tenant('c')));
  await pause(200);
  writeFileSync(file('b.yaml'), yaml(tenant('b')));
  await pause(5500);
  expect([names().sort(), events]).toEqual([['a', 'b', 'c'], ['Tenant/c']]);
});

test('unsettled() of the file source names a folder that does not exist yet, and the source reads the folder after it was created', async () => {
  const later = join(root, 'later', 'config');
  writeOld(file('a.yaml'), yaml(tenant('a')));
  const { source, names, events, at } = await start([folder, later]);
  expect(names()).toEqual(['a']);
  expect(source.unsettled()).toBe(`folder ${later}: it does not exist`);
  await pause(100);
  expect(at('warn')).toHaveLength(1);
  mkdirSync(later, { recursive: true });
  writeFileSync(join(later, 'b.yaml'), yaml(tenant('b')));
  await eventually(() => expect(names()).toEqual(['a', 'b']));
  expect(events).toEqual(['Tenant/a', 'Tenant/b', 'settled']);
});

test('the file source keeps the resources of a removed folder until the folder is recreated', async () => {
  writeOld(file('a.yaml'), yaml(tenant('a')));
  const { names, events, at } = await start();
  events.length = 0;
  renameSync(folder, join(root, 'aside'));
  await eventually(() => expect(at('warn')).toHaveLength(1));
  expect(at('warn')[0]!.message).toContain('stay effective until the folder is back');
  await pause(LONG_MS);
  expect([names(), events]).toEqual([['a'], []]);
  mkdirSync(folder);
  writeFileSync(file('b.yaml'), yaml(tenant('b')));
  await eventually(() => expect(names()).toEqual(['b']));
});

test('the file source deletes the resources of a folder that became empty', async () => {
  writeOld(file('a.yaml'), yaml(tenant('a')));
  const { names } = await start();
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  await eventually(() => expect(names()).toEqual([]));
});

test('the file source rejects a file that is too large or not text, and reads the other files', async () => {
  writeOld(file('large.yaml'), '#'.repeat(4 * 1024 * 1024 + 1));
  writeFileSync(file('binary.yaml'), Buffer.from([0x61, 0xff, 0xfe]));
  utimesSync(file('binary.yaml'), 1, 1);
  writeOld(file('good.yaml'), yaml(tenant('a')));
  const { names, at } = await start();
  expect(names()).toEqual(['a']);
  expect(at('error').map(({ message }) => message)).toEqual([
    expect.stringMatching(/binary.yaml is not applied: is not text in UTF-8/),
    expect.stringMatching(/large.yaml is not applied: is larger than 4194304 bytes/),
  ]);
});

test('the file source reads a file that was not readable before as soon as the file permissions allow this', async () => {
  writeOld(file('a.yaml'), yaml(tenant('a')));
  chmodSync(file('a.yaml'), 0);
  const { names } = await start();
  chmodSync(file('a.yaml'), 0o600);
  await eventually(() => expect(names()).toEqual(['a']));
});
