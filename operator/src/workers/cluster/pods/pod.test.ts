import type { KubeObject } from '@svc-asr/kubernetes';
import { ANNOTATIONS, LABELS } from '../names.ts';
import { readPod, trimPod } from './pod.ts';
import { findStartFailure } from './start-failure.ts';
import type { ObservedPod } from './start-failure.ts';

const PATIENCE_MS = 1000;
const LABELLED = { [LABELS.model]: 'm', [LABELS.revision]: 'r' };
const object = (status: object, metadata: object = {}, spec: object = { nodeName: 'n' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: 'u', labels: LABELLED, ...metadata },
  spec,
  status,
});
const waiting = (reason: string, message = '', more: object = {}) => ({
  name: 'worker',
  ready: false,
  restartCount: 0,
  state: { waiting: { reason, message } },
  ...more,
});
const startFailureOf = (status: object, more: Partial<ObservedPod> = {}, spec?: object) => {
  const pod = readPod(object(status, {}, spec))!;
  const seen = { unschedulableMs: 0, unmountedMs: 0, crashes: pod.restarts, ...more };
  return findStartFailure([{ ...pod, ...seen }], undefined, PATIENCE_MS);
};

test('readPod reads all fields that decisions need, even from a trimmed pod', () => {
  const whole = object(
    {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [{ name: 'worker', ready: true, restartCount: 2, state: { running: {} } }],
    },
    { annotations: { [ANNOTATIONS.stopping]: 'drained' }, managedFields: [{}] },
    { nodeName: 'n', containers: [{ name: 'worker' }] },
  );
  const pod = readPod(whole);
  expect(pod).toMatchObject({
    name: 'p',
    model: 'm',
    revision: 'r',
    selectedForRemoval: true,
    ready: true,
    restarts: 2,
    scheduled: true,
    pending: false,
    running: true,
    ended: false,
    terminating: false,
    mounted: true,
  });
  expect(readPod(trimPod(whole))).toEqual(pod);
  expect(JSON.stringify(trimPod(whole))).not.toMatch(/managedFields|containers"/);
  expect(readPod(object({}, { labels: {} }))).toBeUndefined();
});

test('findStartFailure returns nothing for a pod that is starting normally', () => {
  expect(startFailureOf({ phase: 'Pending' }, {}, {})).toBeUndefined();
  expect(startFailureOf({ phase: 'Pending', containerStatuses: [waiting('ContainerCreating')] })).toBeUndefined();
  expect(startFailureOf({ phase: 'Pending', containerStatuses: [waiting('PodInitializing')] })).toBeUndefined();
});

test('findStartFailure reports an image that cannot be pulled', () => {
  expect(startFailureOf({ containerStatuses: [waiting('ImagePullBackOff', 'no such image')] })).toEqual({
    reason: 'ImagePullFailed',
    message: 'the image of pod p cannot be pulled: no such image',
  });
});

test('findStartFailure reports a container that cannot be created', () => {
  const config = waiting('CreateContainerConfigError', 'secret "x" not found');
  expect(startFailureOf({ containerStatuses: [config] })).toEqual({
    reason: 'CreateContainerConfigError',
    message: 'pod p cannot start its container worker: secret "x" not found',
  });
});

test('findStartFailure reports repeated crashes with the last log line, even while the container restarts', () => {
  const log = `{"level":"info","message":"starting"}\n{"level":"fatal","message":"could not start","err":{"message":"tokens.txt is missing"}}\n`;
  const fell = { terminated: { exitCode: 1, reason: 'Error', message: log } };
  const crashed = {
    reason: 'CrashLoop',
    message:
      'workers fail to start, 3 times in a row; the last ended with status 1: could not start: tokens.txt is missing',
  };
  const crash = { restartCount: 3, lastState: fell };
  expect(startFailureOf({ containerStatuses: [waiting('CrashLoopBackOff', '', crash)] })).toEqual(crashed);
  const trying = { name: 'worker', ready: false, state: { running: {} }, ...crash };
  expect(startFailureOf({ containerStatuses: [trying] })).toEqual(crashed);
  expect(startFailureOf({ containerStatuses: [{ ...trying, restartCount: 1 }] })).toBeUndefined();
  // The pod was ready before its last crash, so that only this crash counts.
  expect(startFailureOf({ containerStatuses: [trying] }, { crashes: 1 })).toBeUndefined();
  // The pod is ready again.
  expect(startFailureOf({ containerStatuses: [{ ...trying, ready: true }] })).toBeUndefined();
});

test('findStartFailure reports a lack of memory and a failed download of the artifact', () => {
  const killed = {
    name: 'worker',
    ready: false,
    restartCount: 5,
    state: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
  };
  expect(startFailureOf({ containerStatuses: [killed] })?.message).toContain('the last ran out of memory');
  const fetcher = waiting('CrashLoopBackOff', '', {
    name: 'fetch-artifact',
    restartCount: 4,
    lastState: {
      terminated: {
        exitCode: 1,
        message: '{"message":"the artifact could not be fetched","err":{"message":"answers 403"}}',
      },
    },
  });
  expect(startFailureOf({ initContainerStatuses: [fetcher] })).toEqual({
    reason: 'ArtifactFailed',
    message:
      'the artifact cannot be fetched; the last attempt ended with status 1: the artifact could not be fetched: answers 403',
  });
});

test('findStartFailure reports a pod that still has no node or no volumes after the timeout', () => {
  const conditions = [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes have a GPU' },
  ];
  const unplaced = { phase: 'Pending', conditions };
  expect(startFailureOf(unplaced, { unschedulableMs: 999 }, {})).toBeUndefined();
  expect(startFailureOf(unplaced, { unschedulableMs: 1000 }, {})).toEqual({
    reason: 'Unschedulable',
    message: 'pod p cannot be scheduled to a node: 0/3 nodes have a GPU',
  });
  const unmounted = {
    phase: 'Pending',
    conditions: [{ type: 'PodReadyToStartContainers', status: 'False' }],
    containerStatuses: [waiting('ContainerCreating')],
  };
  expect(startFailureOf(unmounted, { unmountedMs: 999 })).toBeUndefined();
  expect(startFailureOf(unmounted, { unmountedMs: 1000 })).toMatchObject({
    reason: 'FailedMount',
    message: expect.stringContaining('kubectl describe pod p'),
  });
});

test('findStartFailure ignores failing pods while another pod is starting, and failures on only one node while another pod is ready', () => {
  const read = (status: object): ObservedPod => ({
    ...readPod(object(status))!,
    unschedulableMs: 0,
    unmountedMs: 0,
    crashes: 0,
  });
  const bad = read({ containerStatuses: [waiting('ErrImagePull')] });
  const starting = read({ phase: 'Pending' });
  const up = read({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
  expect(findStartFailure([bad, starting], undefined, PATIENCE_MS)).toBeUndefined();
  expect(findStartFailure([bad, up], undefined, PATIENCE_MS)).toBeUndefined();
  expect(findStartFailure([bad, { ...bad, node: 'n2' }, up], undefined, PATIENCE_MS)?.reason).toBe('ImagePullFailed');
  expect(findStartFailure([{ ...bad, selectedForRemoval: true }, up], undefined, PATIENCE_MS)).toBeUndefined();
});

test('findStartFailure reports why a Deployment cannot create pods', () => {
  const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' };
  const deployment = { ...object({ conditions: [failure] }), kind: 'Deployment' };
  expect(findStartFailure([], deployment, PATIENCE_MS)).toEqual({
    reason: 'FailedCreate',
    message: 'pods cannot be created: exceeded quota',
  });
});
