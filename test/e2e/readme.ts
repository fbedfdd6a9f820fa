import { commandBlocks } from './docs-commands.ts';

/** Values of a test cluster that differ from those in README. */
export interface Replacements {
  registry: string;
  pullPolicy: string;
  /** A free loopback port. */
  port: number;
}

/** Commands of README's section about clusters. */
export interface ReadmeCommands {
  /** Commands that create a cluster on this machine and load the images into it. */
  create: string;
  /** Commands that install the chart, create a key and transcribe a recording. */
  install: string;
}

export function readmeCommands(): ReadmeCommands {
  const [create = '', install = '', ...others] = commandBlocks('../README.md', 'On a cluster');
  if (install === '' || others.length > 0) throw new Error('README must have two blocks of commands about clusters');
  return { create, install };
}

/**
 * Replaces the registry and the port in the commands, and adds the pull policy. Throws if README does not contain a
 * text that must be replaced.
 */
export function adaptCommands(commands: string, { registry, pullPolicy, port }: Replacements): string {
  const changes: [string, string][] = [
    ['REGISTRY=localhost', `REGISTRY=${registry}`],
    ['helm install svc-asr charts/svc-asr', `helm install svc-asr charts/svc-asr --set image.pullPolicy=${pullPolicy}`],
    ['localhost:8443', `localhost:${port}`],
    ['8443:443', `${port}:443`],
  ];
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`README no longer contains "${from}"`);
    return text.replaceAll(from, to);
  }, commands);
}
