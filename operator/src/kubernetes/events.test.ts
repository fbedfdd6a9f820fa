import { createTestLogger } from '../testing/logs.ts';
import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import { createEventRecorder } from './events.ts';
import type { EventRecorderOptions } from './events.ts';

const object = (name = 'acme'): KubeObject => ({
  apiVersion: 'asr.svc.dev/v1',
  kind: 'Tenant',
  metadata: { name, namespace: 'svc-asr', uid: `uid-${name}`, resourceVersion: '7' },
});

function setUp(overrides: Partial<EventRecorderOptions['api']> = {}) {
  const created: KubeObject[] = [];
  const patched: { name: string; patch: { count?: number; message?: string } }[] = [];
  const clock = { nowMs: Date.UTC(2030, 0, 1) };
  const { logger, lines } = createTestLogger();
  const recorder = createEventRecorder({
    api: {
      namespace: 'svc-asr',
      create: (_type, event) => {
        created.push(event);
        return Promise.resolve(event);
      },
      mergePatch: (_type, name, patch) => {
        patched.push({ name, patch });
        return Promise.resolve(object());
      },
      ...overrides,
    },
    instance: 'operator-0',
    logger,
    nowMs: () => clock.nowMs,
  });
  return { recorder, created, patched, clock, lines };
}

test('the event recorder refers to an object in the form that kubectl describe expects', async () => {
  const { recorder, created } = setUp();
  recorder.record(object(), 'Warning', 'InvalidSpec', 'spec.grants: has an id twice');
  await recorder.settled();
  expect(created).toEqual([
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^acme\.[0-9a-f]{16}$/), namespace: 'svc-asr' },
      involvedObject: {
        apiVersion: 'asr.svc.dev/v1',
        kind: 'Tenant',
        name: 'acme',
        namespace: 'svc-asr',
        uid: 'uid-acme',
        resourceVersion: '7',
      },
      type: 'Warning',
      reason: 'InvalidSpec',
      message: 'spec.grants: has an id twice',
      count: 1,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      source: { component: 'svc-asr-operator' },
      reportingComponent: 'svc-asr-operator',
      reportingInstance: 'operator-0',
    },
  ]);
});

test('the event recorder counts repeated events in one event', async () => {
  const { recorder, created, patched } = setUp();
  for (let n = 0; n < 4; n++) recorder.record(object(), 'Normal', 'Applied', 'the resource is applied');
  await recorder.settled();
  expect(created).toHaveLength(1);
  expect(patched.map(({ name, patch }) => [name, patch.count])).toEqual(
    [2, 3, 4].map((count) => [created[0]!.metadata.name, count]),
  );
});

test('the event recorder combines many similar events with different messages', async () => {
  const { recorder, created, patched } = setUp();
  for (let n = 0; n < 14; n++) recorder.record(object(), 'Warning', 'Failed', `try ${n}`);
  await recorder.settled();
  expect(created).toHaveLength(11);
  expect(created.at(-1)).toMatchObject({ message: '(combined from similar events): try 10' });
  expect(patched.map(({ patch }) => patch.message)).toEqual(
    [11, 12, 13].map((n) => `(combined from similar events): try ${n}`),
  );
});

test('the event recorder drops events beyond the limit of one object, and still writes the events of other objects', async () => {
  const { recorder, created, patched, clock } = setUp();
  for (let n = 0; n < 100; n++) recorder.record(object(), 'Normal', 'Same', 'a message');
  await recorder.settled();
  expect(created.length + patched.length).toBe(25);
  recorder.record(object('other'), 'Normal', 'Same', 'a message');
  await recorder.settled();
  expect(created).toHaveLength(2);
  clock.nowMs += 300_000;
  for (let n = 0; n < 5; n++) recorder.record(object(), 'Normal', 'Same', 'a message');
  await recorder.settled();
  expect(patched).toHaveLength(25);
});

test('the event recorder creates an event again if the API server has deleted it', async () => {
  const { recorder, created } = setUp({
    mergePatch: () => Promise.reject(new KubernetesError(404, 'NotFound', 'deleted')),
  });
  for (let n = 0; n < 2; n++) recorder.record(object(), 'Normal', 'Applied', 'the resource is applied');
  await recorder.settled();
  expect(created.map(({ count }) => count)).toEqual([1, 2]);
});

test('the event recorder drops events that cannot be written, without an error', async () => {
  const { recorder, lines } = setUp({ create: () => Promise.reject(new KubernetesError(0, 'ECONNREFUSED', 'down')) });
  for (let n = 0; n < 3; n++) recorder.record(object(`t${n}`), 'Normal', 'Applied', 'the resource is applied');
  await recorder.settled();
  expect(lines.map(({ level }) => level)).toEqual(['debug', 'debug', 'debug']);
});

test('the event recorder keeps a limited number of the newest events while the API server is slow', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const names: string[] = [];
  const { recorder } = setUp({
    create: async (_type, event) => {
      await held;
      names.push((event.involvedObject as { name: string }).name);
      return event;
    },
  });
  for (let n = 0; n < 3000; n++) recorder.record(object(`t${n}`), 'Normal', 'Applied', 'x');
  release();
  await recorder.settled();
  expect(names).toHaveLength(1001);
  expect(names.at(-1)).toBe('t2999');
});
