import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { FILE_LIMITS } from '@svc-asr/core';
import { DECODER_LIMITS } from '../../gateway/src/openai/decode.ts';
import { MEMORY_SHARE } from '../../gateway/src/server/connections.ts';
import { GATEWAY_SETTINGS } from '../../gateway/src/settings.ts';
import { CHART_FOLDER } from './place.ts';

const MIB = 1_048_576;
/** Memory of a gateway without streams, connections and files. */
const PROCESS_BYTES = 256 * MIB;

interface Values {
  gateway: { streamMemoryMiB: number; resources: { limits: { memory: string } } };
}

test('the memory limit of a gateway covers its audio, connections, files and decoders by default', () => {
  const { streamMemoryMiB, resources } = (parse(readFileSync(join(CHART_FOLDER, 'values.yaml'), 'utf8')) as Values)
    .gateway;
  const [, gibibytes] = /^(\d+)Gi$/.exec(resources.limits.memory) ?? [];
  const limitBytes = Number(gibibytes) * 1024 * MIB;
  // A file is in memory twice for a moment, in pieces and as a whole.
  const fileBytes = 2 * FILE_LIMITS.maxBytes + DECODER_LIMITS.maxBytes;
  const filesBytes = Number(GATEWAY_SETTINGS.FILES_MAX.fallback) * fileBytes;
  const neededBytes = PROCESS_BYTES + streamMemoryMiB * MIB + limitBytes * MEMORY_SHARE + filesBytes;
  expect(neededBytes).toBeLessThanOrEqual(limitBytes);
});
