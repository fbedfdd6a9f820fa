import { createClient, createResampler, toPcm16 } from '@svc-asr/client';
import type { Client } from '@svc-asr/client';
import { AUDIO } from '@svc-asr/core';
import { eventually } from '../../test/support/eventually.ts';
import type { RecordedConnection } from './recorder.ts';
import type { RecordedModel } from './recordings.ts';

/** Names that the CLI gives to contexts. `balanced` is the context in the middle, and `accurate` is the longest one. */
export type Latency = 'balanced' | 'accurate';

const MAX_AUDIO_SECONDS = 300;
const LISTED_WITHIN_MS = 60_000;

/** Transcribes audio with the native protocol. */
export class NativeReference {
  readonly #client: Client;
  /** Transcripts of the recordings of a model, by the path of its first recording and by latency. */
  readonly #transcripts = new Map<string, Promise<string[]>>();

  constructor(baseUrl: string, apiKey: string) {
    this.#client = createClient({ baseUrl, apiKey });
  }

  /** Transcribes the recordings of a model, each in a session of its own. */
  async transcribeFiles(model: RecordedModel, latency: Latency): Promise<string[]> {
    const name = `${model.recordings[0]?.path} ${latency}`;
    const transcripts = this.#transcripts.get(name) ?? this.#transcribeFiles(model, latency);
    this.#transcripts.set(name, transcripts);
    return transcripts;
  }

  async #transcribeFiles({ id, recordings }: RecordedModel, latency: Latency): Promise<string[]> {
    const transcripts: string[] = [];
    for (const { pcm } of recordings) {
      const stream = await this.#open(id, latency);
      await stream.send(pcm);
      transcripts.push((await stream.flush()).text);
      await stream.close();
    }
    return transcripts;
  }

  /**
   * Transcribes the audio of a realtime connection. Utterances end at the commits of that connection. If the connection
   * detected turns, utterances also end after as much silence as its turns did.
   */
  async transcribeConnection(model: string, connection: RecordedConnection, latency: Latency): Promise<string[]> {
    const { audio, commits, rate, silenceMs } = connection;
    const stream = await this.#open(model, latency, silenceMs);
    const finals: string[] = [];
    const reading = (async () => {
      for await (const event of stream) if (event.type === 'final') finals.push(event.text);
    })();
    const bytes = Buffer.concat(audio);
    let at = 0;
    for (const end of [...commits, bytes.length]) {
      const resampler = createResampler(rate, AUDIO.sampleRateHz);
      await stream.send(toPcm16(resampler.push(toFloats(bytes.subarray(at, end)))));
      await stream.send(toPcm16(resampler.end()));
      // A client that ends turns itself does not commit the silence after its last turn. This method therefore does not
      // flush that silence either.
      if (end < bytes.length || silenceMs !== undefined) await stream.flush();
      at = end;
    }
    await stream.close();
    await reading;
    return finals;
  }

  /** Starts a worker of a model, and waits until the service lists all contexts of the model. */
  async prepare({ id }: RecordedModel): Promise<void> {
    const stream = this.#client.stream({ model: id });
    await stream.ready;
    await eventually(`contexts of ${id}`, LISTED_WITHIN_MS, async () => (await this.#readContexts(id)).length > 1);
    await stream.close();
  }

  async #open(id: string, latency: Latency, silenceMs?: number) {
    const contexts = await this.#readContexts(id);
    const context = contexts.at(latency === 'accurate' ? -1 : Math.floor(contexts.length / 2))?.context_size;
    if (context === undefined) throw new Error(`the service has no model ${id}`);
    const stream = this.#client.stream({ model: id, maxAudioSeconds: MAX_AUDIO_SECONDS });
    await stream.config({ context, ...(silenceMs !== undefined && { endpointing: { silence_ms: silenceMs } }) });
    return stream;
  }

  /** Returns the contexts of a model, the shortest first. */
  async #readContexts(id: string) {
    const model = (await this.#client.listModels()).find((each) => each.id === id);
    return (model?.contexts ?? []).toSorted((one, other) => one.chunk_ms - other.chunk_ms);
  }
}

/** Converts PCM of 16 bit to samples in [-1, 1]. */
function toFloats(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32_768);
}
