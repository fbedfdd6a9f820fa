import { writeFiles } from '../docs/write-files.ts';
import { buildKernelFiles } from '../kernel/files.ts';

writeFiles(await buildKernelFiles());
