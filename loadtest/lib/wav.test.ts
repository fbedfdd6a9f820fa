import { AUDIO } from '@svc-asr/core';
import { parseWav, SAMPLE_RATE_HZ, readSamples } from './wav.ts';

function wav({ channels = 1, rateHz = 16_000, bits = 16, audio = [1, 2, 3, 4], extra = '' } = {}): ArrayBuffer {
  const chunk = (name: string, body: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rateHz, 4);
  format.writeUInt16LE(bits, 14);
  const chunks = [chunk('fmt ', format), chunk('LIST', Buffer.from(extra)), chunk('data', Buffer.from(audio))];
  const whole = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), ...chunks]);
  return new Uint8Array(whole).buffer;
}

test('SAMPLE_RATE_HZ equals the sample rate in packages/core', () => {
  expect(SAMPLE_RATE_HZ).toBe(AUDIO.sampleRateHz);
});

test('readSamples and parseWav find the audio even if other RIFF chunks precede it', () => {
  expect([...new Uint8Array(readSamples(wav({ extra: 'odd' })))]).toEqual([1, 2, 3, 4]);
  expect(parseWav(wav())).toMatchObject({ channels: 1, sampleRateHz: 16_000, bitsPerSample: 16, bytes: 4 });
});

test.each([
  ['two channels', wav({ channels: 2 }), 'mono, 16000 Hz, 16 bit, not 2 x'],
  ['another sample rate', wav({ rateHz: 8000 }), 'not 1 x 8000 Hz'],
  ['a file that is not a WAV file', new Uint8Array(100).buffer, 'not a WAV file'],
  ['a file that ends before its audio', wav().slice(0, 36), 'without audio'],
])('readSamples rejects %s', (_name, content, message) => {
  expect(() => readSamples(content)).toThrow(message);
});
