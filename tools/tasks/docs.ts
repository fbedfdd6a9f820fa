import { buildPages } from '../docs/pages.ts';
import { writeFiles } from '../docs/write-files.ts';

writeFiles(buildPages());
