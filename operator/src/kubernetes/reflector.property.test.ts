import fc from 'fast-check';
import { settle, setUpReflector } from '../testing/reflector.ts';
import { KubernetesError } from '@svc-asr/kubernetes';

const cut = new KubernetesError(0, 'ECONNRESET', 'cut');
const ERROR_EVENT = (code: number, reason: string) => ({
  type: 'ERROR' as const,
  object: { kind: 'Status', apiVersion: 'v1', metadata: { name: '' }, code, reason, message: reason },
});

test('for any sequence of faults, the reflector converges to the existing objects', async () => {
  const action = fc.oneof(
    fc.record({ do: fc.constantFrom('put' as const, 'remove' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({
      do: fc.constantFrom('cut', 'reset', 'freeze', 'forget', 'bookmark', 'list410', 'watch410', 'watch500', 'pass'),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const { cluster, reflector, names, pass } = setUpReflector();
      const wanted = new Set<string>();
      void reflector.start();
      await settle();
      for (const one of actions) {
        if ('name' in one) {
          if (one.do === 'put') cluster.put(one.name);
          else cluster.remove(one.name);
          if (one.do === 'put') wanted.add(one.name);
          else wanted.delete(one.name);
        } else if (one.do === 'cut') cluster.cut();
        else if (one.do === 'reset') cluster.cut(cut);
        else if (one.do === 'freeze') cluster.freeze();
        else if (one.do === 'forget') cluster.forget();
        else if (one.do === 'bookmark') cluster.bookmark();
        else if (one.do === 'list410')
          cluster.faults.push({ on: 'list', error: new KubernetesError(410, 'Expired', 'x') });
        else if (one.do === 'watch410') cluster.faults.push({ on: 'watch', events: [ERROR_EVENT(410, 'Expired')] });
        else if (one.do === 'watch500') cluster.faults.push({ on: 'watch', error: new KubernetesError(500, 'x', 'x') });
        else await pass(500);
      }
      await pass(120_000, 5000);
      expect(names()).toEqual([...wanted].sort());
      expect(cluster.lists() + cluster.watches()).toBeLessThan(60 + 4 * actions.length);
      reflector.stop();
    }),
    { numRuns: 60 },
  );
});
