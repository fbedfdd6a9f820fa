import { OpusDecoder } from 'opus-decoder';
import { AUDIO } from '@svc-asr/core/stream';
import type { ByteReader } from './byte-reader.ts';
import { UnsupportedAudioError } from './error.ts';
import { mix, silently } from './mono.ts';
import type { MonoBlock } from './mono.ts';
import { damaged, PacketJoiner, readPages } from './ogg.ts';
import type { OggPage } from './ogg.ts';
import { isOpusHead, nameCodec, parseOpusHead } from './opus-head.ts';
import type { OpusHead } from './opus-head.ts';

/** Positions in an Opus stream count samples at 48,000 Hz. The decoder itself reduces the rate. */
const UNITS_PER_SAMPLE = 48_000 / AUDIO.sampleRateHz;
/** Packets before the audio: the header and the tags. */
const HEADERS = 2;

/** Decodes the first Opus stream of an Ogg file, and streams that follow it. Other logical streams are ignored. */
export async function* decodeOggOpus(reader: ByteReader): AsyncGenerator<MonoBlock> {
  let [stream, serial]: [OpusStream | undefined, number] = [undefined, 0];
  let other: string | undefined;
  for await (const page of readPages(reader)) {
    if (page.isFirst) {
      const [packet] = page.parts;
      const isNext = isOpusHead(packet) && (stream === undefined || stream.hasAudio);
      if (!isNext) other ??= nameCodec(packet);
      if (isNext) {
        stream?.free();
        [stream, serial] = [await OpusStream.create(parseOpusHead(packet)), page.serial];
      }
    }
    if (stream === undefined || page.serial !== serial) continue;
    const samples = stream.decode(page);
    if (samples.length > 0) yield { samples, sampleRateHz: AUDIO.sampleRateHz };
  }
  if (stream === undefined) {
    throw new UnsupportedAudioError(`Ogg with ${other ?? 'an unknown codec'} is not supported: only Opus is`);
  }
  stream.free();
}

class OpusStream {
  readonly #head: OpusHead;
  readonly #decoder: OpusDecoder<16000>;
  readonly #packets = new PacketJoiner();
  #headersLeft = HEADERS;
  /** Decoded samples that are still to be dropped. */
  #skip: number;
  /** End of the previous page. */
  #granule = 0;

  static async create(head: OpusHead): Promise<OpusStream> {
    const { channels, streamCount, coupledStreamCount, channelMappingTable } = head;
    const format = { channels, streamCount, coupledStreamCount, channelMappingTable };
    const decoder = new OpusDecoder({ ...format, sampleRate: AUDIO.sampleRateHz });
    await decoder.ready;
    return new OpusStream(head, decoder);
  }

  private constructor(head: OpusHead, decoder: OpusDecoder<16000>) {
    this.#head = head;
    this.#decoder = decoder;
    this.#skip = Math.round(head.preSkip / UNITS_PER_SAMPLE);
  }

  /** Whether the headers have been read. */
  get hasAudio(): boolean {
    return this.#headersLeft === 0;
  }

  /** Decodes the packets that end on a page. They have at most 31 s of audio. */
  decode(page: OggPage): Float32Array {
    const blocks: Float32Array[] = [];
    let length = 0;
    for (const packet of this.#packets.push(page)) {
      if (this.#headersLeft > 0) {
        this.#headersLeft--;
        continue;
      }
      const block = this.#decodePacket(packet);
      blocks.push(block);
      length += block.length;
    }
    if (blocks.length === 0) return new Float32Array(0);
    const audio = new Float32Array(length);
    let at = 0;
    for (const block of blocks) {
      audio.set(block, at);
      at += block.length;
    }
    // The position of the last page removes the padding of its last packet.
    const kept = page.isLast ? Math.max(0, Math.round((page.granule - this.#granule) / UNITS_PER_SAMPLE)) : length;
    this.#granule = page.granule;
    const skipped = Math.min(this.#skip, length);
    this.#skip -= skipped;
    return audio.subarray(skipped, Math.max(skipped, Math.min(kept, length)));
  }

  free(): void {
    this.#decoder.free();
  }

  #decodePacket(packet: Uint8Array): Float32Array {
    if (packet.length === 0) throw damaged('an Opus packet is empty');
    const { errors, channelData, samplesDecoded } = silently(() => this.#tryDecode(packet));
    if (errors[0] !== undefined) throw damaged(errors[0].message);
    const { gain } = this.#head;
    return mix(channelData, samplesDecoded, (value) => value * gain);
  }

  #tryDecode(packet: Uint8Array): ReturnType<OpusDecoder<16000>['decodeFrame']> {
    try {
      return this.#decoder.decodeFrame(packet);
    } catch (error) {
      // For example a packet that is larger than the input of the decoder.
      throw damaged(`an Opus packet cannot be decoded (${String(error)})`);
    }
  }
}
