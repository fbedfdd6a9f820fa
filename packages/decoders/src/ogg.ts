import { AudioFormatError } from '@svc-asr/client';
import type { ByteReader } from './byte-reader.ts';
import { concat } from './byte-reader.ts';

/** A page of an Ogg file. */
export interface OggPage {
  /** Number of the logical stream that the page belongs to. */
  readonly serial: number;
  readonly sequence: number;
  /** Position of the last sample that ends on this page, in the units of the codec. -1 if no packet ends on it. */
  readonly granule: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Whether the first part continues a packet of the previous page. */
  readonly isContinued: boolean;
  /** Packets of the page. The first and the last one may be only parts of packets. */
  readonly parts: readonly Uint8Array[];
  /** Whether the packet of the last part continues on the next page. */
  readonly isOpen: boolean;
}

const HEAD_BYTES = 27;
const MAX_PAGE_BYTES = HEAD_BYTES + 255 + 255 * 255;
const CHECKSUM_AT = 22;
const [CONTINUED, FIRST, LAST] = [1, 2, 4];
/** Length of a segment that does not end its packet. */
const FULL_SEGMENT = 255;

/** Reads the pages of an Ogg file (RFC 3533) and checks them. Bytes between pages count as damage. */
export async function* readPages(reader: ByteReader): AsyncGenerator<OggPage> {
  for (;;) {
    const ahead = await reader.peek(MAX_PAGE_BYTES);
    if (ahead.length === 0) return;
    const page = parsePage(ahead);
    await reader.read(page.bytes);
    yield page;
  }
}

function parsePage(bytes: Uint8Array): OggPage & { bytes: number } {
  if (bytes.length < HEAD_BYTES) throw damaged('it ends in the middle of a page');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0) !== 0x4f67_6753 || view.getUint8(4) !== 0) throw damaged('some bytes belong to no page');
  const table = bytes.subarray(HEAD_BYTES, HEAD_BYTES + view.getUint8(26));
  let at = HEAD_BYTES + view.getUint8(26);
  const length = table.reduce((sum, segment) => sum + segment, at);
  if (bytes.length < length) throw damaged('it ends in the middle of a page');
  if (checksum(bytes.subarray(0, length)) !== view.getUint32(CHECKSUM_AT, true)) {
    throw damaged('a page has a wrong checksum');
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const [index, segment] of table.entries()) {
    size += segment;
    if (segment === FULL_SEGMENT && index < table.length - 1) continue;
    // A copy, so that a part of a long packet does not keep the whole buffer of the reader in memory.
    parts.push(bytes.slice(at, at + size));
    at += size;
    size = 0;
  }
  const flags = view.getUint8(5);
  return {
    serial: view.getUint32(14, true),
    sequence: view.getUint32(18, true),
    granule: Number(view.getBigInt64(6, true)),
    isFirst: (flags & FIRST) !== 0,
    isLast: (flags & LAST) !== 0,
    isContinued: (flags & CONTINUED) !== 0,
    parts,
    isOpen: table.at(-1) === FULL_SEGMENT,
    bytes: length,
  };
}

/** Joins the parts of packets that span pages of one logical stream. */
export class PacketJoiner {
  #sequence: number | undefined;
  #open: Uint8Array[] = [];

  /** Returns the packets that end on a page. */
  push(page: OggPage): Uint8Array[] {
    if (this.#sequence !== undefined && page.sequence !== this.#sequence + 1) throw damaged('a page is missing');
    if (page.isContinued !== this.#open.length > 0) throw damaged('a packet is not complete');
    this.#sequence = page.sequence;
    const packets: Uint8Array[] = [];
    for (const [index, part] of page.parts.entries()) {
      this.#open.push(part);
      if (page.isOpen && index === page.parts.length - 1) break;
      packets.push(this.#take());
    }
    return packets;
  }

  #take(): Uint8Array {
    const parts = this.#open;
    this.#open = [];
    return concat(
      parts,
      parts.reduce((sum, { length }) => sum + length, 0),
    );
  }
}

export function damaged(problem: string): AudioFormatError {
  return new AudioFormatError(`the Ogg file is damaged: ${problem}`);
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c1_1db7 : 0);
  return value;
});

/** Computes the checksum of a page. The place of the checksum itself counts as zeros. */
export function checksum(page: Uint8Array): number {
  let crc = 0;
  for (let at = 0; at < page.length; at++) {
    const byte = at >= CHECKSUM_AT && at < CHECKSUM_AT + 4 ? 0 : (page[at] ?? 0);
    crc = (crc << 8) ^ (CRC[(crc >>> 24) ^ byte] ?? 0);
  }
  return crc >>> 0;
}
