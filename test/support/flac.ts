/** Properties of a FLAC file to build. */
export interface FlacOptions {
  channels?: number;
  sampleRateHz?: number;
  /** Number of samples in the header. By default the number that the file contains. */
  declaredSamples?: number;
  /** Metadata block between the header and the audio. */
  picture?: Uint8Array;
}

const MAX_BLOCK = 65_535;

/** Builds a FLAC file of 16 bits from interleaved PCM. */
export function buildFlac(pcm: Buffer, options: FlacOptions = {}): Buffer {
  const { channels = 1 } = options;
  const frames: Buffer[] = [];
  const blockBytes = 4096 * 2 * channels;
  for (let at = 0; at < pcm.length; at += blockBytes) {
    const block = pcm.subarray(at, at + blockBytes);
    const length = block.length / 2 / channels;
    const body = Array.from({ length: channels }, (_, channel) => {
      // Subframe of type "verbatim".
      const subframe = Buffer.alloc(1 + length * 2, 0x02);
      for (let n = 0; n < length; n++)
        subframe.writeInt16BE(block.readInt16LE((n * channels + channel) * 2), 1 + n * 2);
      return subframe;
    });
    frames.push(buildFrame(frames.length, length, channels, Buffer.concat(body)));
  }
  const info = buildInfo(4096, pcm.length / 2 / channels, options);
  return Buffer.concat([info, ...frames]);
}

/** Builds a file of silence whose frames have 65,535 samples each. A frame of one channel has 13 to 16 bytes. */
export function buildFlacBomb(frames: number, options: FlacOptions = {}): Buffer {
  const { channels = 1 } = options;
  // Subframes of type "constant".
  const body = Buffer.alloc(3 * channels);
  const parts = Array.from({ length: frames }, (_, n) => buildFrame(n, MAX_BLOCK, channels, body));
  return Buffer.concat([buildInfo(MAX_BLOCK, frames * MAX_BLOCK, options), ...parts]);
}

function buildInfo(block: number, samples: number, options: FlacOptions): Buffer {
  const { channels = 1, sampleRateHz = 16_000, declaredSamples = samples, picture } = options;
  const info = Buffer.alloc(42);
  info.write('fLaC', 'latin1');
  info.writeUInt32BE((picture === undefined ? 0x8000_0000 : 0) + 34, 4);
  info.writeUInt16BE(block, 8);
  info.writeUInt16BE(block, 10);
  const high = Math.floor(declaredSamples / 2 ** 32);
  info.writeUInt32BE(sampleRateHz * 4096 + (channels - 1) * 512 + 15 * 16 + high, 18);
  info.writeUInt32BE(declaredSamples % 2 ** 32, 22);
  if (picture === undefined) return info;
  const head = Buffer.alloc(4);
  head.writeUInt32BE(0x8600_0000 + picture.length);
  return Buffer.concat([info, head, picture]);
}

/** Builds a frame that uses the sample rate in the header of the file. */
function buildFrame(number: number, length: number, channels: number, body: Buffer): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(length - 1);
  const head = Buffer.concat([
    Buffer.from([0xff, 0xf8, 0x70, ((channels - 1) << 4) | 0x08]),
    encodeNumber(number),
    size,
  ]);
  const frame = Buffer.concat([head, Buffer.from([crc(head, 8, 0x07)]), body]);
  const check = Buffer.alloc(2);
  check.writeUInt16BE(crc(frame, 16, 0x8005));
  return Buffer.concat([frame, check]);
}

/** Encodes a number in the way in which UTF-8 encodes a character. */
function encodeNumber(number: number): Buffer {
  return Buffer.from(String.fromCodePoint(number < 0xd800 ? number : number + 0x800), 'utf8');
}

function crc(bytes: Uint8Array, bits: 8 | 16, polynomial: number): number {
  const top = 1 << (bits - 1);
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++)
      value = ((value & top) === 0 ? value << 1 : (value << 1) ^ polynomial) & (top * 2 - 1);
  }
  return value;
}
