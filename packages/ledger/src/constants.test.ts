import { withConstants } from './constants.ts';
import type { ScriptConstants } from './constants.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { Script } from './scripts.ts';

function sourceOf(name: string, constants: ScriptConstants): Script {
  let seen: Script | undefined;
  const link: RedisLink = {
    ready: true,
    run: (script) => {
      seen = script;
      return Promise.resolve();
    },
    send: () => Promise.resolve(),
    nodes: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
  void withConstants(link, constants).run(loadScript(name), 'key', []);
  if (seen === undefined) throw new Error('the link ran no script');
  return seen;
}

test.each([
  ['settle', 'RECENT_RETENTION_MS'],
  ['settle', 'USAGE_RETENTION_DAYS'],
  ['reserve', 'JOURNAL_ENTRIES_RETAINED'],
  ['reserve', 'JOURNAL_BACKLOG_ENTRIES'],
  ['place', 'QUEUE_TTL_MS'],
  ['connect', 'STREAM_EXTRA_MS'],
  ['gateways_dead', 'LEASE_MS'],
  ['place', 'LEASE_GAP_MS'],
])('%s.lua uses the configured value of %s', (script, name) => {
  const { source, sha1 } = sourceOf(script, { [name]: 7 });
  expect(source).toContain(`local ${name} = 7\n`);
  expect(sha1).not.toBe(loadScript(script).sha1);
});

test('withConstants leaves a script unchanged if no constant is set', () => {
  expect(sourceOf('settle', {})).toEqual(loadScript('settle'));
});
