import { launch } from '@svc-asr/runtime/launch';

await launch(() => import('./run.ts'));
