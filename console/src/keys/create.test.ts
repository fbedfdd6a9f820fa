import { readdirSync } from 'node:fs';
import { parseKeyring } from '@svc-asr/runtime';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openFileStore } from '../resources/file-store.ts';
import { createKey } from './create.ts';

const peppers = parseKeyring(
  JSON.stringify({ current: 'p2', secrets: { p2: Buffer.alloc(32, 2).toString('base64') } }),
);
const request = { tenant: 'acme', displayName: '', expiresAt: null };

/**
 * Replaces the source of random bytes, so that each new key id repeats one letter. `letters` are the indexes of these
 * letters in the base62 alphabet.
 */
function bytesFor(letters: number[]): (n: number) => Uint8Array {
  let call = 0;
  return (n) => new Uint8Array(n).fill(letters[Math.floor(call++ / 2)] ?? 0);
}

test('createKey generates another key id if the resource name of the first key id is taken', async () => {
  const folder = temporaryFolder('keys');
  const store = await openFileStore({ folder, readFolders: [], now: () => 0 });
  const upper = await createKey(store, peppers, request, bytesFor([10]));
  const lower = await createKey(store, peppers, request, bytesFor([36, 37]));
  expect([upper.resource.spec.keyId, lower.resource.spec.keyId]).toEqual(['AAAAAAAAAA', 'bbbbbbbbbb']);
  expect(readdirSync(folder).sort()).toEqual(['apikey-aaaaaaaaaa.yaml', 'apikey-bbbbbbbbbb.yaml']);
});

test('createKey fails if the resource names of five consecutive key ids are taken', async () => {
  const folder = temporaryFolder('keys');
  const store = await openFileStore({ folder, readFolders: [], now: () => 0 });
  await createKey(store, peppers, request, bytesFor([10]));
  const stuck = createKey(store, peppers, request, bytesFor([10, 10, 10, 10, 10]));
  await expect(stuck).rejects.toThrow('5 random names in a row were taken');
});
