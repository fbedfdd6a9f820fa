import { launch } from '@svc-asr/runtime/launch';

/** Task of the process: serve streams, or download a model (`fetch-artifact`). */
const [task] = process.argv.slice(2);
await launch(() => (task === 'fetch-artifact' ? import('./artifact/run.ts') : import('./run.ts')));
