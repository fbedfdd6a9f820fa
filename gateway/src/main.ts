import { setFlagsFromString } from 'node:v8';
import { run } from './run.ts';

// V8 counts audio as growth of the heap, which is small: by its own rule it would mark all of it every second under load.
setFlagsFromString('--heap-growing-percent=400');

await run();
