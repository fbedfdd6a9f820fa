import { root } from '../launch/terminal.mjs';
import { readTargets } from './dockerfile.ts';

/** Images that are built without a daemon. The CUDA image is built from the Dockerfile only. */
export const IMAGES = readTargets(root).filter(({ layers }) => !layers.includes('cuda'));
