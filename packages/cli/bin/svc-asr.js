#!/usr/bin/env node
// The command `svc-asr`. It is plain JavaScript, so that it can print instructions before the first build.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(fileURLToPath(main))) {
  await import(main.href);
} else {
  process.stderr.write('svc-asr is not built yet. Run "npm run build" in the repository, then try again.\n');
  process.exitCode = 2;
}
