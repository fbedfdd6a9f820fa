import { buildFiles } from '../crds/files.ts';
import { writeFiles } from '../docs/write-files.ts';

writeFiles(buildFiles());
