import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { readLocalFile } from './sources.ts';

function homeWith(text: string): string {
  const root = temporaryFolder('local');
  mkdirSync(join(root, '.svc-asr'));
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  writeFileSync(join(root, '.svc-asr', 'local.json'), text);
  return root;
}

test('readLocalFile finds local.json in a parent folder', () => {
  const root = homeWith('{"base_url":"https://x","api_key":"k","redis_url":"redis://r","ca_file":7}');
  for (const folder of [root, join(root, 'a'), join(root, 'a', 'b')]) {
    expect(readLocalFile({}, folder)).toEqual({ base_url: 'https://x', api_key: 'k' });
  }
});

test('readLocalFile reads only the folder in SVC_ASR_HOME if it is set', () => {
  const root = homeWith('{"base_url":"https://x"}');
  expect(readLocalFile({ SVC_ASR_HOME: join(root, '.svc-asr') }, '/')).toEqual({ base_url: 'https://x' });
  expect(readLocalFile({ SVC_ASR_HOME: '.svc-asr' }, root)).toEqual({ base_url: 'https://x' });
  expect(readLocalFile({ SVC_ASR_HOME: join(root, 'a') }, root)).toEqual({});
});

test('readLocalFile reports the name of an invalid file and not its content', () => {
  const root = homeWith('{"api_key": s3cret');
  expect(() => readLocalFile({}, root)).toThrow('local.json is not JSON');
  expect(() => readLocalFile({}, root)).not.toThrow('s3cret');
  expect(readLocalFile({}, homeWith('null'))).toEqual({});
});
