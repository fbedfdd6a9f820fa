import { AUDIO, FRAME, parseRelayAnswer, RELAY_LIMITS } from '@svc-asr/core';
import type { Frame } from '@svc-asr/core';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { upgrade } from './upgrade.ts';

export interface NoiseOptions {
  readonly port: number;
  readonly tls: boolean;
  readonly ticket: string;
  readonly context: readonly [number, number];
  readonly streams: number;
}

/** Number of samples in a frame of 100 ms. */
const FRAME_SAMPLES = AUDIO.sampleRateHz / 10;
/** Number of frames in an utterance of 8 s. */
const UTTERANCE_FRAMES = 80;
/** Limit for unsent bytes in the socket. Above it, no audio is sent until the socket has sent some bytes. */
const UNSENT_BYTES = 262_144;
const NOISE = 2_000;

/**
 * Streams noise, in the same way as a gateway streams audio, to a port that this process has opened for a measurement.
 * Sends the noise as fast as the engine accepts audio. Resolves when the server of this port has closed the connection.
 */
export async function streamNoise(options: NoiseOptions): Promise<void> {
  const { port, tls } = options;
  // The certificate is not verified, because it is for the name of a model and not for this address. The server is a
  // thread of this process.
  const { socket, head } = await upgrade(`${tls ? 'wss' : 'ws'}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const noise = Int16Array.from({ length: FRAME_SAMPLES }, () => (Math.random() - 0.5) * NOISE);
  const payload = new Uint8Array(noise.buffer);
  await new Promise<void>((resolve) => {
    const streams = new Map<number, NoiseStream>();
    const pump = () => {
      let isSent = true;
      while (isSent && frames.isOpen && frames.unsentBytes < UNSENT_BYTES) {
        isSent = false;
        for (const stream of streams.values()) isSent = stream.send(frames, payload) || isSent;
      }
    };
    const frames: FrameSocket = new FrameSocket(socket, head, {
      onFrame: (frame) => {
        const stream = streams.get(frame.stream);
        stream?.receive(frame);
        while (frames.isOpen && frames.unsentBytes < UNSENT_BYTES && stream?.send(frames, payload) === true);
      },
      onWritten: pump,
      onClose: () => resolve(),
    });
    for (let id = 1; id <= options.streams; id++) {
      streams.set(id, new NoiseStream(id));
      frames.sendMessage(id, { type: 'open', ticket: options.ticket, context: options.context });
    }
  });
}

/** Sends the audio of one stream. */
class NoiseStream {
  readonly #id: number;
  #bufferSamples = 0;
  #sent = 0;
  #until = 0;
  #frames = 0;
  #marks = 0;

  constructor(id: number) {
    this.#id = id;
  }

  receive(frame: Frame): void {
    if (frame.type === FRAME.consumed) this.#until = frame.position + this.#bufferSamples;
    if (frame.type !== FRAME.message) return;
    const answer = parseRelayAnswer(payloadText(frame));
    if (!answer.ok) return;
    if (answer.message.type === 'final') this.#marks--;
    if (answer.message.type === 'opened') this.#until = this.#bufferSamples = answer.message.buffer_samples;
  }

  /**
   * Sends a frame, and a flush at the end of an utterance. Returns false without sending if the probe cannot accept
   * more audio or flushes yet.
   */
  send(frames: FrameSocket, payload: Uint8Array): boolean {
    if (this.#sent + FRAME_SAMPLES > this.#until || this.#marks >= RELAY_LIMITS.maxMarks) return false;
    frames.send(FRAME.audio, this.#id, this.#sent, payload);
    this.#sent += FRAME_SAMPLES;
    if (++this.#frames % UTTERANCE_FRAMES > 0) return true;
    this.#marks++;
    frames.sendMessage(this.#id, { type: 'flush' }, this.#sent);
    return true;
  }
}
