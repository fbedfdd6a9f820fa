import { launch } from '@svc-asr/runtime/launch';

/** Task of the process. `fetch-artifact` downloads a model. Without a task, the process serves streams. */
const [task] = process.argv.slice(2);
await launch(() => (task === 'fetch-artifact' ? import('./artifact/run.ts') : import('./run.ts')));
