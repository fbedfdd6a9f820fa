import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageConfig } from './oci.ts';

/** A target of images/Dockerfile. */
export interface Target {
  name: string;
  /** Names of the layers of the image: folders that the build stages lay out under /stage. */
  layers: string[];
  config: ImageConfig & { env: string[]; labels: Record<string, string> };
}

/** Reads the targets of images/Dockerfile whose files all come from the build stages. */
export function readTargets(root: string): Target[] {
  return parseTargets(readFileSync(join(root, 'images/Dockerfile'), 'utf8'));
}

/** Parses the targets that descend from `scratch`. Other stages only prepare files for them. */
export function parseTargets(text: string): Target[] {
  const empty = { user: '', workingDir: '/', entrypoint: [], env: [], labels: {} };
  const stages = new Map<string, Target>([['scratch', { name: 'scratch', layers: [], config: empty }]]);
  let target: Target | undefined;
  for (const line of text.replaceAll('\\\n', '').split('\n')) {
    const [, instruction, value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [, base = '', name = ''] = /(\S+) AS (\S+)$/.exec(value) ?? [];
      const parent = stages.get(base);
      target = parent === undefined ? undefined : { ...structuredClone(parent), name };
      if (target !== undefined) stages.set(name, target);
    } else if (target !== undefined && instruction !== undefined) apply(target, instruction, value);
  }
  return [...stages.values()].filter(({ config }) => config.entrypoint.length > 0);
}

function apply({ layers, config }: Target, instruction: string, value: string): void {
  if (instruction === 'COPY') layers.push(/^--from=\S+ \/stage\/(\S+)\/ \/$/.exec(value)?.[1] ?? value);
  if (instruction === 'ENV') config.env.push(...value.split(' '));
  if (instruction === 'LABEL') {
    for (const [, name = '', text = ''] of value.matchAll(/(\S+)="([^"]*)"/g)) config.labels[name] = text;
  }
  if (instruction === 'USER') config.user = value;
  if (instruction === 'WORKDIR') config.workingDir = value;
  if (instruction === 'ENTRYPOINT') config.entrypoint = JSON.parse(value) as string[];
}
