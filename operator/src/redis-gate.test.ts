import type { RedisLink } from '@svc-asr/ledger';
import { NotLeading } from './kubernetes/gate.ts';
import { guardLink } from './redis-gate.ts';

test('guardLink sends nothing to Redis while this process is not the leader', async () => {
  const sent: string[] = [];
  const link: RedisLink = {
    ready: true,
    run: (_script, key) => Promise.resolve(sent.push(key)),
    send: (key) => Promise.resolve(sent.push(key)),
    nodes: () => Promise.resolve([{ send: ([command = '']) => Promise.resolve(sent.push(command)) }]),
    close: () => Promise.resolve(),
  };
  let open = false;
  const guarded = guardLink(link, { isOpen: () => open, signal: () => AbortSignal.abort() });
  const script = undefined as never;
  await expect(guarded.run(script, 'a', [])).rejects.toThrow(NotLeading);
  await expect(guarded.send('b', [])).rejects.toThrow(NotLeading);
  expect([sent, guarded.ready]).toEqual([[], true]);
  open = true;
  const [node] = await guarded.nodes();
  open = false;
  await expect(guarded.nodes()).rejects.toThrow(NotLeading);
  await expect(node!.send(['SCAN'])).rejects.toThrow(NotLeading);
  open = true;
  await guarded.run(script, 'c', []);
  await guarded.send('d', []);
  await node!.send(['SCAN']);
  expect(sent).toEqual(['c', 'd', 'SCAN']);
});
