import { Utterance } from './utterance.ts';

const pcm = (samples: number) => Buffer.alloc(samples * 2, samples);

describe('Utterance', () => {
  test('returns each sample only once for the current worker, and all samples again after a move to another worker', () => {
    const utterance = new Utterance(1, 0);
    utterance.append(pcm(3));
    expect(Buffer.concat(utterance.takeUnsent())).toEqual(pcm(3));
    utterance.append(pcm(2));
    expect(Buffer.concat(utterance.takeUnsent())).toEqual(pcm(2));
    expect([...utterance.takeUnsent(), utterance.sent]).toEqual([5]);
    utterance.setProgress(0, 0);
    expect(Buffer.concat(utterance.takeUnsent())).toEqual(Buffer.concat([pcm(3), pcm(2)]));
  });

  test('keeps the largest number of consumed samples if a worker later reports a smaller number', () => {
    const utterance = new Utterance(1, 0);
    utterance.append(pcm(10));
    utterance.consume(8);
    utterance.consume(4);
    expect(utterance.outstanding).toBe(2);
  });

  test('delivers a delta only if it covers more audio than the client has received text for', () => {
    const utterance = new Utterance(1, 0);
    expect([5, 5, 3, 6].map((audioEnd) => utterance.deliver(audioEnd))).toEqual([true, false, false, true]);
    utterance.setProgress(0, 0);
    expect([6, 7].map((audioEnd) => utterance.deliver(audioEnd))).toEqual([false, true]);
  });

  test('delivers no delta after a reset', () => {
    const utterance = new Utterance(1, 0);
    utterance.append(pcm(10));
    utterance.reset();
    expect(utterance.deliver(5)).toBe(false);
  });

  test('can end at a cut inside its audio unless the client has text of later audio, and can end with a final at any sample', () => {
    const utterance = new Utterance(1, 0);
    utterance.append(pcm(10));
    utterance.deliver(4);
    const cut = (samples: number) =>
      utterance.mayEndWith({ type: 'final', text: '', words: [], audio_end: samples, endpoint: true });
    expect([3, 4, 10, 11].map(cut)).toEqual([false, true, true, false]);
    expect(utterance.mayEndWith({ type: 'final', text: '', words: [], audio_end: 3 })).toBe(true);
  });

  test('counts a worker failure only if the utterance has audio or has ended', () => {
    const utterance = new Utterance(1, 0);
    expect(utterance.countWorkerFailure()).toBe(0);
    utterance.append(pcm(1));
    expect([utterance.countWorkerFailure(), utterance.countWorkerFailure()]).toEqual([1, 2]);
    const empty = new Utterance(2, 1);
    empty.flush();
    expect(empty.countWorkerFailure()).toBe(1);
  });
});
