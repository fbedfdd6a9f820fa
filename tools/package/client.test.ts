import { gzipSync } from 'node:zlib';
import { root } from '../launch/terminal.mjs';
import { buildClientPackage, bundle } from './client.ts';

test('the client package has a licence, types and no dependency that is not published', async () => {
  const files = await buildClientPackage(root);
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/browser.js',
      'dist/microphone.js',
      'dist/microphone.d.ts',
      'dist/microphone-worklet.js',
      'dist/core-types.d.ts',
    ]),
  );
  const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, unknown>;
  expect(manifest).toMatchObject({ name: '@svc-asr/client', type: 'module', dependencies: { ws: expect.any(String) } });
  expect(Object.keys(manifest.dependencies as object)).toEqual(['ws']);
  expect(manifest.private).toBeUndefined();
  for (const [name, text] of files) {
    if (name !== 'README.md') expect(text).not.toMatch(/from '@svc-asr\/|typebox|\.ts'/);
  }
});

test('the bundle for browsers has less than 8 KiB after gzip', async () => {
  const text = await bundle(root, { entry: 'browser.ts', isForBrowsers: true });
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(8192);
});

test('the microphone bundles together have less than 4 KiB after gzip, and they import nothing', async () => {
  const texts = await Promise.all([
    bundle(root, { entry: 'microphone.ts', isForBrowsers: true }),
    bundle(root, { entry: 'microphone-worklet.ts', isForBrowsers: true }),
  ]);
  for (const text of texts) expect(text).not.toMatch(/\bimport\b(?!\.meta)/);
  expect(gzipSync(texts.join(''), { level: 9 }).length).toBeLessThan(4096);
});
