import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder in which the driver of NVIDIA describes the GPUs that the container can use. */
const DRIVER_FOLDER = '/proc/driver/nvidia/gpus';

/**
 * Returns the name of the GPU of this machine, such as "NVIDIA H200". Returns undefined if the driver lists no GPU. The
 * operator stores measured slots by revision and by this name.
 */
export function readGpuName(folder: string = DRIVER_FOLDER): string | undefined {
  try {
    const [first = ''] = readdirSync(folder).sort();
    return /^Model:\s*(\S.*?)\s*$/m.exec(readFileSync(join(folder, first, 'information'), 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
