import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';

/** The chart's path from the root of the repository. */
export const CHART = 'charts/svc-asr';

/** The chart's folder. */
export const CHART_FOLDER = join(root, CHART);
