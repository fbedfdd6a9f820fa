import { UnsupportedAudioError } from '@svc-asr/client/internal';
import { damaged } from './ogg.ts';

/** First packet of an Opus stream. */
export interface OpusHead {
  readonly channels: number;
  /** Samples at 48,000 Hz that are decoded and dropped at the start. */
  readonly preSkip: number;
  /** Factor by which each decoded sample is multiplied. */
  readonly gain: number;
  readonly streamCount: number;
  readonly coupledStreamCount: number;
  readonly channelMappingTable: number[];
}

const MARK = 'OpusHead';
const MIN_BYTES = 19;
const MAX_CHANNELS = 8;
/** Value in the channel mapping for an output channel that is silent. */
const SILENT = 255;

export function isOpusHead(packet: Uint8Array | undefined): packet is Uint8Array {
  return packet !== undefined && textOf(packet, MARK.length) === MARK;
}

/** Parses the first packet of an Opus stream, as RFC 7845 defines it. The decoder itself does not check this packet. */
export function parseOpusHead(packet: Uint8Array): OpusHead {
  if (packet.length < MIN_BYTES) throw damaged('its Opus header is not complete');
  const view = new DataView(packet.buffer, packet.byteOffset, packet.length);
  const channels = view.getUint8(9);
  if (view.getUint8(8) >= 16 || channels > MAX_CHANNELS) {
    throw new UnsupportedAudioError(
      `Opus of version ${view.getUint8(8)} with ${channels} channels is not supported: convert it to version 1 with at most ${MAX_CHANNELS} channels`,
    );
  }
  const head = { channels, preSkip: view.getUint16(10, true), gain: 10 ** (view.getInt16(16, true) / 5120) };
  const family = view.getUint8(18);
  if (family === 0) {
    if (channels < 1 || channels > 2) throw damaged(`its Opus header declares ${channels} channels`);
    const channelMappingTable = channels === 2 ? [0, 1] : [0];
    return { ...head, streamCount: 1, coupledStreamCount: channels - 1, channelMappingTable };
  }
  const [streamCount = 0, coupledStreamCount = 0] = packet.subarray(MIN_BYTES);
  const channelMappingTable = [...packet.subarray(MIN_BYTES + 2, MIN_BYTES + 2 + channels)];
  const decoded = streamCount + coupledStreamCount;
  const isValid =
    channels > 0 &&
    streamCount > 0 &&
    coupledStreamCount <= streamCount &&
    decoded <= SILENT &&
    channelMappingTable.length === channels &&
    channelMappingTable.every((channel) => channel < decoded || channel === SILENT);
  if (!isValid) throw damaged('its Opus header has an invalid channel mapping');
  return { ...head, streamCount, coupledStreamCount, channelMappingTable };
}

const OTHER_CODECS: readonly (readonly [mark: string, name: string])[] = [
  ['\u0001vorbis', 'Vorbis'],
  ['\u007fFLAC', 'FLAC'],
  ['Speex', 'Speex'],
];

/** Returns the name of a codec that is not Opus. Undefined if it is unknown, or is not for audio. */
export function nameCodec(packet: Uint8Array | undefined): string | undefined {
  const text = textOf(packet ?? new Uint8Array(0), MARK.length);
  return OTHER_CODECS.find(([mark]) => text.startsWith(mark))?.[1];
}

function textOf(bytes: Uint8Array, length: number): string {
  return String.fromCharCode(...bytes.subarray(0, length));
}
