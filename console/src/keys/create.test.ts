import { readdirSync } from 'node:fs';
import { parseKeyring } from '@svc-asr/runtime';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openFileStore } from '../resources/file-store.ts';
import { createKey } from './create.ts';

const peppers = parseKeyring(
  JSON.stringify({ current: 'p2', secrets: { p2: Buffer.alloc(32, 2).toString('base64') } }),
);
const request = { tenant: 'acme', displayName: '', expiresAt: null };

/** Bytes that make the next key id from one letter, whose index in the alphabet of base62 is given. */
function bytesFor(letters: number[]): (n: number) => Uint8Array {
  let call = 0;
  return (n) => new Uint8Array(n).fill(letters[Math.floor(call++ / 2)] ?? 0);
}

test('a key id whose resource name is taken is drawn again', async () => {
  const folder = temporaryFolder('keys');
  const store = await openFileStore({ folder, readFolders: [], now: () => 0 });
  const upper = await createKey(store, peppers, request, bytesFor([10]));
  const lower = await createKey(store, peppers, request, bytesFor([36, 37]));
  expect([upper.resource.spec.keyId, lower.resource.spec.keyId]).toEqual(['AAAAAAAAAA', 'bbbbbbbbbb']);
  expect(readdirSync(folder).sort()).toEqual(['apikey-aaaaaaaaaa.yaml', 'apikey-bbbbbbbbbb.yaml']);
});

test('it gives up when every draw is taken', async () => {
  const folder = temporaryFolder('keys');
  const store = await openFileStore({ folder, readFolders: [], now: () => 0 });
  await createKey(store, peppers, request, bytesFor([10]));
  const stuck = createKey(store, peppers, request, bytesFor([10, 10, 10, 10, 10]));
  await expect(stuck).rejects.toThrow('5 random key ids in a row were taken');
});
