import { OpusDecoder } from 'opus-decoder';
import { UnsupportedAudioError } from '@svc-asr/client/internal';
import { AUDIO } from '@svc-asr/core/stream';
import type { ByteReader } from './byte-reader.ts';
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

/** Maximum number of consecutive streams in a file. Recordings of radio stations have one for each title. */
const MAX_STREAMS = 256;

/**
 * Decodes the first Opus stream of an Ogg file, and the Opus streams that follow it. Other logical streams are ignored.
 * Returns a block for each page of a decoded stream, even if the page has no audio.
 */
export async function* decodeOggOpus(reader: ByteReader): AsyncGenerator<MonoBlock> {
  let [stream, serial, streams]: [OpusStream | undefined, number, number] = [undefined, 0, 0];
  let other: string | undefined;
  for await (const page of readPages(reader)) {
    if (page.isFirst) {
      const [packet] = page.parts;
      const isNext = isOpusHead(packet) && (stream === undefined || stream.hasAudio);
      if (!isNext) other ??= nameCodec(packet);
      if (isNext) {
        if (++streams > MAX_STREAMS) throw damaged(`it has more than ${MAX_STREAMS} streams`);
        stream?.free();
        [stream, serial] = [new OpusStream(parseOpusHead(packet)), page.serial];
      }
    }
    if (stream === undefined || page.serial !== serial) continue;
    yield { samples: await stream.decode(page), sampleRateHz: AUDIO.sampleRateHz };
  }
  if (stream === undefined) {
    throw new UnsupportedAudioError(`Ogg with ${other ?? 'an unknown codec'} is not supported: only Opus is`);
  }
  stream.free();
}

class OpusStream {
  readonly #head: OpusHead;
  /** Created when the first audio arrives, because a decoder takes time and memory. */
  #decoder: OpusDecoder<16000> | undefined;
  readonly #packets = new PacketJoiner();
  #headersLeft = HEADERS;
  /** Number of decoded samples that are still to be dropped at the start of the stream. */
  #skip: number;
  /** Position at the end of the previous page, in samples at 48,000 Hz. */
  #granule = 0;

  constructor(head: OpusHead) {
    this.#head = head;
    this.#skip = Math.round(head.preSkip / UNITS_PER_SAMPLE);
  }

  /** Whether both header packets have been read, so that the next packets are audio. */
  get hasAudio(): boolean {
    return this.#headersLeft === 0;
  }

  /** Decodes the packets that end on a page. They have at most 31 s of audio. */
  async decode(page: OggPage): Promise<Float32Array> {
    const blocks: Float32Array[] = [];
    let length = 0;
    for (const packet of this.#packets.push(page)) {
      if (this.#headersLeft > 0) {
        this.#headersLeft--;
        continue;
      }
      this.#decoder ??= await createDecoder(this.#head);
      const block = this.#decodePacket(this.#decoder, packet);
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
    // The position in the last page is the end of the audio. Samples after it are padding of the last packet.
    const kept = page.isLast ? Math.max(0, Math.round((page.granule - this.#granule) / UNITS_PER_SAMPLE)) : length;
    this.#granule = page.granule;
    const skipped = Math.min(this.#skip, length);
    this.#skip -= skipped;
    return audio.subarray(skipped, Math.max(skipped, Math.min(kept, length)));
  }

  free(): void {
    this.#decoder?.free();
  }

  #decodePacket(decoder: OpusDecoder<16000>, packet: Uint8Array): Float32Array {
    if (packet.length === 0) throw damaged('an Opus packet is empty');
    const { errors, channelData, samplesDecoded } = silently(() => tryDecode(decoder, packet));
    if (errors[0] !== undefined) throw damaged(errors[0].message);
    const { gain } = this.#head;
    return mix(channelData, samplesDecoded, (value) => value * gain);
  }
}

async function createDecoder(head: OpusHead): Promise<OpusDecoder<16000>> {
  const { channels, streamCount, coupledStreamCount, channelMappingTable } = head;
  const format = { channels, streamCount, coupledStreamCount, channelMappingTable };
  const decoder = new OpusDecoder({ ...format, sampleRate: AUDIO.sampleRateHz });
  await decoder.ready;
  return decoder;
}

function tryDecode(decoder: OpusDecoder<16000>, packet: Uint8Array): ReturnType<typeof decoder.decodeFrame> {
  try {
    return decoder.decodeFrame(packet);
  } catch (error) {
    // The decoder throws, for example, if a packet is larger than the input buffer of the decoder.
    throw damaged(`an Opus packet cannot be decoded (${String(error)})`);
  }
}
