import { createNotices } from '../notices.ts';
import { createApplied } from './applied.ts';
import { createSync } from './sync.ts';

test('held does not count a resource that was deleted since the last resync', async () => {
  const registry = {
    list: (kind: string) => Promise.resolve(new Map(kind === 'Tenant' ? ['a', 'b'].map((name) => [name, '']) : [])),
    put: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  };
  const applied = createApplied(registry);
  const sync = createSync({
    source: { keys: () => [], get: () => undefined, unsettled: () => 'a file is invalid' },
    applied,
    work: { enqueue: () => undefined, enqueueLast: () => undefined },
    notices: createNotices(),
    logger: { warn: () => undefined },
  });
  await sync.run();
  expect(sync.held()).toBe(2);
  await applied.forget('Tenant', 'b');
  expect(sync.held()).toBe(1);
});
