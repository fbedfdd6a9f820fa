import { once } from 'node:events';
import { AUDIO } from '@svc-asr/core';
import { MODEL } from '../../test/support/gateway.ts';
import type { TestGateway } from '../../test/support/gateway.ts';
import { COMPLETED, connectRealtime, DELTA } from '../../test/support/realtime-client.ts';
import { createSession } from '../../test/support/stream-client.ts';
import { LoadStream } from '../relay/client.ts';

export const FRAME_MS = 100;

/** A stream that sends frames of 100 ms. */
export interface PacedStream {
  sendFrame: () => void;
  /** Returns whether the first text has arrived, which shows that the stream has a worker. */
  readonly isStarted: () => boolean;
  close: () => Promise<void>;
}

/** Audio formats of realtime connections, with their bytes per second. */
const FORMATS = {
  pcm_16_khz: { format: { type: 'audio/pcm', rate: 16_000 }, bytesPerSecond: 32_000 },
  pcm_24_khz: { format: { type: 'audio/pcm', rate: 24_000 }, bytesPerSecond: 48_000 },
  pcmu: { format: { type: 'audio/pcmu' }, bytesPerSecond: 8000 },
  pcma: { format: { type: 'audio/pcma' }, bytesPerSecond: 8000 },
} as const;

export const KINDS = ['native', 'pcm_16_khz', 'pcm_24_khz', 'pcmu', 'pcma'] as const;
export type Kind = (typeof KINDS)[number];

/** Opens a native stream, or a realtime connection with one of the audio formats. */
export async function openPaced(kind: Kind, gateway: TestGateway, key: string): Promise<PacedStream> {
  return kind === 'native' ? openNative(gateway, key) : openRealtime(kind, gateway, key);
}

async function openNative(gateway: TestGateway, key: string): Promise<PacedStream> {
  const session = await createSession(gateway, key, { model: MODEL, max_audio_seconds: 300 });
  const stream = await LoadStream.open({ url: session.websocket_url, protocols: session.websocket_protocols });
  const frame = noise((AUDIO.sampleRateHz * AUDIO.bytesPerSample * FRAME_MS) / 1000);
  return {
    sendFrame: () => stream.send(frame),
    isStarted: () => stream.latenciesMs.length > 0,
    close: () => stream.close(),
  };
}

async function openRealtime(kind: keyof typeof FORMATS, gateway: TestGateway, key: string): Promise<PacedStream> {
  const { format, bytesPerSecond } = FORMATS[kind];
  const client = await connectRealtime(gateway, key, { query: `intent=transcription&model=${MODEL}` });
  // Turn detection is disabled, so that both kinds of streams have one utterance.
  await client.update({ format, turn_detection: null });
  const audio = noise((bytesPerSecond * FRAME_MS) / 1000).toString('base64');
  const event = JSON.stringify({ type: 'input_audio_buffer.append', audio });
  return {
    sendFrame: () => client.send(event),
    isStarted: () => client.events.some(({ type }) => type === DELTA || type === COMPLETED),
    close: async () => {
      const closed = once(client.socket, 'close');
      client.close();
      await closed;
    },
  };
}

/** Returns arbitrary bytes. They are loud noise in every format. */
function noise(bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 7919) % 251));
}
