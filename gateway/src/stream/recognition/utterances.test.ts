import { Utterances } from './utterances.ts';

const pcm = (samples: number) => Buffer.alloc(samples * 2);

test('audio after a flush belongs to the next utterance, which starts where the last ended', () => {
  const utterances = new Utterances();
  utterances.append(pcm(10));
  utterances.end('flush');
  utterances.append(pcm(5));
  expect(utterances.all.map(({ number, startSample, samples }) => [number, startSample, samples])).toEqual([
    [1, 0, 10],
    [2, 10, 5],
  ]);
  expect(utterances.acceptedSamples).toBe(15);
  expect(utterances.answered().number).toBe(1);
  expect(utterances.head.number).toBe(2);
});

test('outstanding audio is what the worker has not taken; a new worker has taken nothing', () => {
  const utterances = new Utterances();
  utterances.append(pcm(10));
  utterances.head.consumed = 8;
  utterances.end('flush');
  utterances.append(pcm(5));
  expect([utterances.outstanding, utterances.owed]).toEqual([7, true]);
  utterances.forgetProgress();
  expect(utterances.outstanding).toBe(15);
});

test('a dropped utterance is not carried along', () => {
  const utterances = new Utterances();
  utterances.append(pcm(10));
  utterances.end('reset');
  expect(utterances.head).toMatchObject({ audio: { samples: 0 }, ending: 'reset' });
  expect(utterances.outstanding).toBe(0);
  utterances.forgetProgress();
  expect(utterances.outstanding).toBe(0);
});

test('a worker has something to do while it has audio that it has not taken, or owes an answer', () => {
  const utterances = new Utterances();
  utterances.append(pcm(10));
  expect(utterances.busy).toBe(false);
  utterances.head.sent = 10;
  expect(utterances.busy).toBe(true);
  utterances.head.consumed = 10;
  expect(utterances.busy).toBe(false);
  utterances.end('flush');
  expect(utterances.busy).toBe(true);
  utterances.answered();
  expect(utterances.busy).toBe(false);
});
