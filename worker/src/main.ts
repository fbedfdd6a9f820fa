import { launch } from '@svc-asr/runtime/launch';

/** What the program does: serve streams, or bring the model that another one will serve. */
const [task] = process.argv.slice(2);
await launch(() => (task === 'fetch-artifact' ? import('./artifact/run.ts') : import('./run.ts')));
