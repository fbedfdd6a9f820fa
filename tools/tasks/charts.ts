import { buildChartFiles } from '../charts/files.ts';
import { lintChart } from '../charts/lint/run.ts';
import { writeFiles } from '../docs/write-files.ts';

const [command] = process.argv.slice(2);
if (command === 'lint') process.exitCode = await lintChart();
else writeFiles(await buildChartFiles());
