import { gzipSync } from 'node:zlib';

/** An entry of a test archive. `type` is the entry type in tar, such as 0 (file), 2 (link) or 5 (folder). */
export interface PackedEntry {
  path: string;
  content?: string | Buffer;
  type?: string;
  target?: string;
}

const BLOCK = 512;

/** Packs a tar archive byte by byte, so that tests can create invalid archives. */
export function pack(entries: readonly PackedEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = '0', target = '' }) => {
    const body = Buffer.from(content);
    const header = Buffer.alloc(BLOCK);
    header.write(path, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(type, 156);
    header.write(target, 157, 100);
    header.write('ustar\x0000', 257);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** Packs a compressed tar archive. */
export function packGzip(entries: readonly PackedEntry[]): Buffer {
  return gzipSync(pack(entries));
}
