import { capture } from './capture.ts';

const NAMES = ['AudioContext', 'AudioWorkletNode', 'navigator'] as const;
const originals = NAMES.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));

afterEach(() => {
  for (const [at, name] of NAMES.entries()) {
    const original = originals[at];
    if (original === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, original);
  }
});

function setGlobal(name: (typeof NAMES)[number], value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}

test('capture() releases the device and the audio thread if the worklet cannot be created', async () => {
  const calls: string[] = [];
  class AudioContext {
    audioWorklet = { addModule: () => Promise.resolve() };
    resume = () => Promise.resolve();
    close = () => Promise.resolve(calls.push('close'));
  }
  function AudioWorkletNode(): void {
    throw new Error('no such worklet');
  }
  const track = { stop: () => calls.push('stop'), addEventListener: () => undefined };
  const getUserMedia = () => Promise.resolve({ getTracks: () => [track] });
  setGlobal('AudioContext', AudioContext);
  setGlobal('AudioWorkletNode', AudioWorkletNode);
  setGlobal('navigator', { mediaDevices: { getUserMedia } });
  const opening = capture({ workletUrl: '/worklet.js', constraints: {}, maxBufferedSeconds: 1 });
  await expect(opening).rejects.toThrow('no such worklet');
  expect(calls).toEqual(['stop', 'close']);
});
