import { fileOf } from '../../images/files.ts';
import { writeImage } from '../../images/oci.ts';
import type { BuiltImage } from '../../images/oci.ts';
import { platformOf } from '../../images/platform.ts';
import { PAUSE_REFERENCE } from './node-files.ts';

/** Builds the image of the pause container, which keeps the namespaces of a pod open. */
export function buildPauseImage(program: string, out: string): Promise<BuiltImage> {
  return writeImage(
    {
      title: 'svc-asr-pause',
      reference: PAUSE_REFERENCE,
      config: { user: '65532:65532', workingDir: '/', entrypoint: ['/pause'], env: [], labels: {} },
      layers: [{ name: 'program', files: [fileOf('pause', program)] }],
    },
    { out, platform: platformOf(process.arch) },
  );
}
