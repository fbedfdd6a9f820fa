import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serviceResource } from '../metrics.ts';
import { createTracing } from './sdk.ts';
import { sessionRootIds } from './tracing.ts';

const OPTIONS = { headers: {}, spanDelayMs: 60_000, metricIntervalMs: 60_000 };
const NOWHERE = { ...OPTIONS, endpoint: 'http://127.0.0.1:9' };

test('sessionRootIds derives the ids of the root span from the session id only', () => {
  expect(sessionRootIds('4bf92f35-77b3-4da6-a3ce-929d0e0e4736')).toEqual({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: 'a3ce929d0e0e4736',
  });
});

test('two instances of tracing sample the same sessions, whose share is close to the sample ratio', async () => {
  const [one, other] = [0.25, 0.25].map((sampleRatio) =>
    createTracing(serviceResource('test'), { ...NOWHERE, sampleRatio }),
  );
  const ids = Array.from({ length: 2000 }, () => randomUUID());
  const chosen = ids.filter((id) => one?.rootOf(id) !== undefined);
  expect(ids.filter((id) => other?.rootOf(id) !== undefined)).toEqual(chosen);
  // The bounds are more than six standard deviations below and above the expected number.
  expect(chosen.length).toBeGreaterThan(380);
  expect(chosen.length).toBeLessThan(620);
  await Promise.all([one?.stop(), other?.stop()]);
});

test('tracing derives the ids of the root span from the session, gives the child span a new id, and exports both spans when it stops', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (data: Buffer) => bodies.push(data.toString()));
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tracing = createTracing(serviceResource('test'), { ...OPTIONS, endpoint, sampleRatio: 1 });
  const self = tracing.rootOf(randomUUID());
  if (self === undefined) throw new Error('every session is traced');
  const root = tracing.start('root', { self });
  const child = tracing.start('child', { parent: self, attributes: { long: 'x'.repeat(10_000) } });
  expect(root.spanContext()).toMatchObject({ traceId: self.traceId, spanId: self.spanId });
  expect(child.spanContext().traceId).toBe(self.traceId);
  expect(child.spanContext().spanId).not.toBe(self.spanId);
  child.end();
  root.end();
  await tracing.stop();
  server.closeAllConnections();
  server.close();
  const sent = bodies.join('');
  expect(sent).toContain('"name":"root"');
  expect(sent).toContain(`"parentSpanId":"${self.spanId}"`);
  expect(sent).not.toContain('x'.repeat(300));
});

test('tracing does not record a span whose parent is not sampled', async () => {
  const tracing = createTracing(serviceResource('test'), { ...NOWHERE, sampleRatio: 1 });
  const parent = { ...sessionRootIds(randomUUID()), traceFlags: 0, isRemote: true };
  expect(tracing.start('child', { parent }).isRecording()).toBe(false);
  await tracing.stop();
});
