import { setFlagsFromString } from 'node:v8';
import { launch } from '@svc-asr/runtime/launch';

// V8 counts audio buffers as growth of the heap. The heap itself is small, so with default options V8 would run a full
// garbage collection every second under load.
setFlagsFromString('--heap-growing-percent=400');

await launch(() => import('./run.ts'));
