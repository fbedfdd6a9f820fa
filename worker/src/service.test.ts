import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { Engine } from './engine/engine.ts';
import type { ModelInfo } from './engine/protocol.ts';
import { createSharedBuffers } from './engine/shared.ts';
import { orFailure } from './service.ts';

/** Creates an engine, and a function that ends the inference thread of this engine. */
function createEngine(): { engine: Engine; end: () => void } {
  const thread = Object.assign(new EventEmitter(), { postMessage: () => undefined });
  const info = { slots: 2, subsampling: 8, contexts: [] };
  const engine = new Engine(thread as unknown as Worker, info as unknown as ModelInfo, createSharedBuffers(2));
  return { engine, end: () => thread.emit('exit', 134) };
}

const ENDED = 'the inference thread ended with code 134';
const never = new Promise<void>(() => undefined);

test('orFailure returns the result of the task if no engine fails', async () => {
  expect(await orFailure([createEngine().engine], Promise.resolve('result'))).toBe('result');
});

test('orFailure throws if an engine fails before the task has ended', async () => {
  const [first, second] = [createEngine(), createEngine()];
  const result = orFailure([first.engine, second.engine], never);
  second.end();
  await expect(result).rejects.toThrow(ENDED);
});

test('orFailure throws if an engine failed before the call', async () => {
  const [first, second] = [createEngine(), createEngine()];
  first.end();
  await expect(orFailure([first.engine, second.engine], never)).rejects.toThrow(ENDED);
});
