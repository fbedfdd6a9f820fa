import { setFlagsFromString } from 'node:v8';
import { launch } from '@svc-asr/runtime/launch';

// V8 counts audio as growth of the heap, which is small: by its own rule it would mark all of it every second under load.
setFlagsFromString('--heap-growing-percent=400');

await launch(() => import('./run.ts'));
