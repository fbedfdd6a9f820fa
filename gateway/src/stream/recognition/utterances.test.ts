import { Utterances } from './utterances.ts';

const pcm = (samples: number) => Buffer.alloc(samples * 2);

describe('Utterances', () => {
  test('adds audio after a flush to the next utterance, which starts where the flushed utterance ended', () => {
    const utterances = new Utterances();
    utterances.append(pcm(10));
    utterances.flush();
    utterances.append(pcm(5));
    expect(utterances.all.map(({ number, startSample, samples }) => [number, startSample, samples])).toEqual([
      [1, 0, 10],
      [2, 10, 5],
    ]);
    expect(utterances.acceptedSamples).toBe(15);
    expect(utterances.takeAnswered().number).toBe(1);
    expect(utterances.head.number).toBe(2);
  });

  test('moves the audio after a cut, the progress in that audio, and the flush to a new utterance, and renumbers later utterances', () => {
    const utterances = new Utterances();
    utterances.append(Buffer.concat([pcm(30), Buffer.alloc(20, 7)]));
    utterances.head.takeUnsent();
    utterances.head.consume(20);
    utterances.flush();
    utterances.append(pcm(5));
    const cut = utterances.cut(30);
    expect([cut.number, cut.startSample, cut.samples, cut.held]).toEqual([1, 0, 30, 0]);
    const describe = utterances.all.map(({ number, startSample, samples, sent, ending }) => [
      number,
      startSample,
      samples,
      sent,
      ending,
    ]);
    expect(describe).toEqual([
      [2, 30, 10, 10, 'flush'],
      [3, 40, 5, 0, undefined],
    ]);
    expect([utterances.outstanding, utterances.held, utterances.owed]).toEqual([15, 15, true]);
    expect(Buffer.concat(utterances.head.audioFrom(0))).toEqual(Buffer.alloc(20, 7));
  });

  test('after a cut in the current utterance, keeps the remaining audio and appends later audio to it', () => {
    const utterances = new Utterances();
    utterances.append(pcm(30));
    utterances.cut(20);
    utterances.append(pcm(4));
    const { number, startSample, samples } = utterances.current;
    expect([number, startSample, samples, utterances.acceptedSamples]).toEqual([2, 20, 14, 34]);
  });

  test('applies a reset to the audio after a cut if the client sent the reset before the cut was received', () => {
    const utterances = new Utterances();
    utterances.append(pcm(30));
    utterances.reset();
    utterances.cut(20);
    const { number, samples, ending, outstanding } = utterances.head;
    expect([number, samples, ending, outstanding]).toEqual([2, 10, 'reset', 0]);
    expect(utterances.takeAnswered().number + 1).toBe(3);
  });

  test('counts as outstanding the audio that the worker has not consumed, and after a move to another worker, all audio', () => {
    const utterances = new Utterances();
    utterances.append(pcm(10));
    utterances.head.consume(8);
    utterances.flush();
    utterances.append(pcm(5));
    expect([utterances.outstanding, utterances.owed]).toEqual([7, true]);
    utterances.forgetProgress();
    expect(utterances.outstanding).toBe(15);
  });

  test('drops the audio of a reset utterance, and does not count this audio as outstanding after a move to another worker', () => {
    const utterances = new Utterances();
    utterances.append(pcm(10));
    utterances.reset();
    expect(utterances.head.ending).toBe('reset');
    expect([utterances.held, utterances.outstanding]).toEqual([0, 0]);
    utterances.forgetProgress();
    expect(utterances.outstanding).toBe(0);
  });

  test('is busy while the worker has unconsumed audio or owes an answer', () => {
    const utterances = new Utterances();
    utterances.append(pcm(10));
    expect(utterances.busy).toBe(false);
    utterances.head.takeUnsent();
    expect(utterances.busy).toBe(true);
    utterances.head.consume(10);
    expect(utterances.busy).toBe(false);
    utterances.flush();
    expect(utterances.busy).toBe(true);
    utterances.takeAnswered();
    expect(utterances.busy).toBe(false);
  });

  test('owesAnswer is true for a whole chunk of audio and for an ended utterance, but not for less than a chunk', () => {
    const utterances = new Utterances();
    // Features of two chunks overlap, so a worker owes an answer only after a chunk and 320 further samples.
    utterances.append(pcm(10_319));
    expect(utterances.owesAnswer(10_000)).toBe(false);
    utterances.append(pcm(1));
    expect(utterances.owesAnswer(10_000)).toBe(true);
    utterances.head.consume(8600);
    utterances.append(pcm(8599));
    expect(utterances.owesAnswer(10_000)).toBe(false);
    utterances.append(pcm(1));
    expect(utterances.owesAnswer(10_000)).toBe(true);
    utterances.head.consume(18_600);
    utterances.flush();
    expect(utterances.owesAnswer(10_000)).toBe(true);
    utterances.takeAnswered();
    expect(utterances.owesAnswer(10_000)).toBe(false);
  });
});
