import { commandsOf } from './page.ts';

/** What README leaves to its reader, as it is on the cluster of these tests. */
export interface Place {
  registry: string;
  redisImage: { repository: string; tag: string };
  /** A port of this machine. */
  port: number;
}

/** The commands of README that lead from nothing to a transcript. */
export function readmeCommands(): string {
  return commandsOf('../README.md', 'On a cluster');
}

/** The same for a place; nothing else of them is changed. */
export function fitCommands(commands: string, place: Place): string {
  const { registry, redisImage, port } = place;
  const redis = `redis.image.repository=${redisImage.repository},redis.image.tag=${redisImage.tag}`;
  const changes: [string, string][] = [
    ['$REGISTRY', registry],
    // This cluster can fetch nothing from other registries.
    ['helm install svc-asr charts/svc-asr', `helm install svc-asr charts/svc-asr --set ${redis}`],
    // Others may use the usual port of this machine.
    ['localhost:8443', `localhost:${port}`],
    ['8443:443', `${port}:443`],
  ];
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`README has no "${from}" any more`);
    return text.replaceAll(from, to);
  }, commands);
}
