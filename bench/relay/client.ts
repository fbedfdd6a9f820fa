import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Address and first message of a stream. */
export interface StreamTarget {
  readonly url: string;
  readonly protocols?: readonly string[];
  /** First message that the client sends. Undefined for a gateway, because its clients send no such message. */
  readonly first?: object;
}

const OPEN_TIMEOUT_MS = 20_000;

/** The client side of one stream. It measures the time from the end of each chunk to its delta. */
export class LoadStream {
  readonly latenciesMs: number[] = [];
  readonly #socket: WebSocket;
  readonly #completedAtMs: number[] = [];
  #chunkSamples = Infinity;
  #sentSamples = 0;
  #failure: string | undefined;
  #announce: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(data.toString()));
    socket.on('error', (error) => this.#fail(error.message));
    socket.on('close', (code) => this.#fail(`the stream was closed with ${code}`));
  }

  /** Opens a stream. Resolves when the stream accepts audio. */
  static async open({ url, protocols = [], first }: StreamTarget): Promise<LoadStream> {
    const socket = new WebSocket(url, [...protocols], { perMessageDeflate: false });
    const stream = new LoadStream(socket);
    const timer = setTimeout(() => stream.#reject(new Error('a stream did not open in time')), OPEN_TIMEOUT_MS);
    await new Promise<void>((resolve, reject) => {
      stream.#announce = resolve;
      stream.#reject = reject;
      socket.once('open', () => {
        if (first !== undefined) socket.send(JSON.stringify(first));
      });
    });
    clearTimeout(timer);
    return stream;
  }

  get chunk(): number {
    return this.#chunkSamples;
  }

  /** Number of chunks that were sent and have no answer yet. */
  get unanswered(): number {
    return this.#completedAtMs.length - this.latenciesMs.length;
  }

  /** Reason why the stream has ended. Undefined while it is open. */
  get failure(): string | undefined {
    return this.#failure;
  }

  send(pcm: Buffer): void {
    const chunksBefore = Math.floor(this.#sentSamples / this.#chunkSamples);
    this.#sentSamples += pcm.length / 2;
    if (Math.floor(this.#sentSamples / this.#chunkSamples) > chunksBefore) this.#completedAtMs.push(performance.now());
    this.#socket.send(pcm);
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, 'close');
    this.#socket.close(1000);
    await closed;
  }

  #fail(reason: string): void {
    this.#failure ??= reason;
    this.#reject(new Error(reason));
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as { type: string; chunk_samples?: number };
    if (message.type === 'delta') {
      const completedAtMs = this.#completedAtMs[this.latenciesMs.length];
      if (completedAtMs === undefined) throw new Error('received a delta for a chunk that was not sent');
      this.latenciesMs.push(performance.now() - completedAtMs);
    } else if (message.type === 'ready' || message.type === 'opened') {
      this.#chunkSamples = message.chunk_samples ?? Infinity;
      this.#announce();
    }
  }
}
