import { buildChartFiles } from '../charts/files.ts';
import { lintChart } from '../charts/lint/run.ts';
import { writeFiles } from '../docs/write-files.ts';

const [command, ...names] = process.argv.slice(2);
if (command === 'lint') process.exitCode = await lintChart(names);
else writeFiles(await buildChartFiles());
