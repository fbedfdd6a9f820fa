import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';

/** Path of the chart from the root of the repository. */
export const CHART = 'charts/svc-asr';

/** Absolute path of the chart. */
export const CHART_FOLDER = join(root, CHART);
