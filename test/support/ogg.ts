import { checksum } from '../../packages/decoders/src/ogg.ts';

/** Builds the header packet of an Opus stream. */
export function buildOpusHead(channels = 1, preSkip = 0): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 'latin1');
  head[8] = 1;
  head[9] = channels;
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(16_000, 12);
  return head;
}

const TAGS = Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1');

/** Builds an Ogg file with one page for each list of packets. Each packet must have fewer than 255 bytes. */
export function buildOgg(pages: readonly (readonly Uint8Array[])[], granules: readonly number[] = []): Buffer {
  return Buffer.concat(
    pages.map((packets, sequence) => {
      const isLast = sequence === pages.length - 1;
      const head = Buffer.alloc(27 + packets.length);
      head.write('OggS', 'latin1');
      head[5] = (sequence === 0 ? 2 : 0) + (isLast ? 4 : 0);
      head.writeBigInt64LE(BigInt(granules[sequence] ?? 0), 6);
      head.writeUInt32LE(7, 14);
      head.writeUInt32LE(sequence, 18);
      head[26] = packets.length;
      for (const [index, { length }] of packets.entries()) head[27 + index] = length;
      const page = Buffer.concat([head, ...packets]);
      page.writeUInt32LE(checksum(page), 22);
      return page;
    }),
  );
}

/** Builds an Opus file of silence that takes about 2 bytes for 120 ms. */
export function buildOpusBomb(pages: number): Buffer {
  // Two frames of 60 ms without data.
  const silence = Buffer.from([0b0001_1001]);
  const audio = Array.from({ length: pages }, () => Array.from({ length: 255 }, () => silence));
  const granules = Array.from({ length: pages + 2 }, (_, sequence) => Math.max(0, sequence - 1) * 255 * 5760);
  return buildOgg([[buildOpusHead()], [TAGS], ...audio], granules);
}

/** Builds an Ogg file of Opus streams, one after the other, that have headers and no audio. */
export function buildOpusChain(streams: number): Buffer {
  const stream = buildOgg([[buildOpusHead()], [TAGS]]);
  return Buffer.concat(Array.from({ length: streams }, () => stream));
}
