import type { RelayAnswer } from '@svc-asr/core';
import type { OpenOptions } from '../engine/client.ts';
import type { EngineStream } from '../engine/stream.ts';
import { RelayStream } from './relay-stream.ts';
import type { StreamParts } from './relay-stream.ts';

const PHRASES = [{ text: 'nyeri', boost: 5 }];

/** Opens a stream on a fake engine. Returns the `opened` answer and the options that the engine received. */
async function open(supportsPhrases: boolean, phrases?: typeof PHRASES) {
  const answers: RelayAnswer[] = [];
  const options: OpenOptions[] = [];
  const parts = {
    channel: { send: (answer: RelayAnswer) => answers.push(answer) },
    engine: {
      info: { contexts: [], supportsPhrases },
      open: (given: OpenOptions) => {
        options.push(given);
        return { context: [56, 13], on: () => undefined } as unknown as EngineStream;
      },
    },
    slotWaitMs: 0,
    accepting: () => true,
    trace: () => undefined,
    onOpened: () => undefined,
  } as unknown as StreamParts;
  await new RelayStream(parts).open({ type: 'open', context: [56, 13], ...(phrases && { phrases }) });
  return { opened: answers[0], phrases: options[0]?.phrases };
}

test('RelayStream passes phrases to the engine and confirms them', async () => {
  expect(await open(true, PHRASES)).toMatchObject({ opened: { type: 'opened', phrases: true }, phrases: PHRASES });
});

test('RelayStream reports that a model does not support phrases', async () => {
  expect(await open(false, PHRASES)).toMatchObject({ opened: { type: 'opened', phrases: false } });
});

test('RelayStream confirms no phrases if there are none in the request', async () => {
  const { opened, phrases } = await open(true);
  expect(opened).not.toHaveProperty('phrases');
  expect(phrases).toBeUndefined();
});
