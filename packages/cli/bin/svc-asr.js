#!/usr/bin/env node
// The command `svc-asr`. Plain JavaScript, so that it can say what to do before anything is built.
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(fileURLToPath(main))) {
  await import(main.href);
} else {
  process.stderr.write('svc-asr is not built yet: run "npm run build" in the repository, then try again\n');
  process.exitCode = 2;
}
