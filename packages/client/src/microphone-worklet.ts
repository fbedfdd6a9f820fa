/**
 * This module runs in the audio thread of a browser. It posts the audio of a microphone in blocks, and null after the
 * last block.
 */
interface Port {
  onmessage: (() => void) | null;
  postMessage: (message: Float32Array | null, transfer?: ArrayBufferLike[]) => void;
}

declare const sampleRate: number;
declare const AudioWorkletProcessor: new () => { readonly port: Port };
declare function registerProcessor(
  name: string,
  processor: new () => { process: (inputs: Float32Array[][]) => boolean },
): void;

/** A block of 40 ms needs few messages and adds little delay. */
const BLOCKS_PER_SECOND = 25;

class MicrophoneProcessor extends AudioWorkletProcessor {
  #block = new Float32Array(Math.ceil(sampleRate / BLOCKS_PER_SECOND));
  #length = 0;
  #isStopped = false;

  constructor() {
    super();
    this.port.onmessage = () => this.#stop();
  }

  /**
   * Called with the next samples, which are always fewer than a block. If the device has no signal, the input has no
   * channel.
   */
  process([[samples = new Float32Array(0)] = []]: Float32Array[][]): boolean {
    if (this.#isStopped) return false;
    const head = samples.subarray(0, this.#block.length - this.#length);
    this.#block.set(head, this.#length);
    this.#length += head.length;
    if (this.#length === this.#block.length) {
      this.#post();
      this.#block.set(samples.subarray(head.length));
      this.#length = samples.length - head.length;
    }
    return true;
  }

  #post(): void {
    const block = this.#block.slice(0, this.#length);
    this.port.postMessage(block, [block.buffer]);
    this.#length = 0;
  }

  #stop(): void {
    if (this.#length > 0) this.#post();
    this.port.postMessage(null);
    this.#isStopped = true;
  }
}

registerProcessor('svc-asr-microphone', MicrophoneProcessor);

export {};
