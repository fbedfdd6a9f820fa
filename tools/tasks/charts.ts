import { buildChartFiles } from '../charts/files.ts';
import { writeFiles } from '../docs/write-files.ts';

writeFiles(await buildChartFiles());
