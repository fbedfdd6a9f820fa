import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../launch/terminal.mjs';
import { podsOf } from './render.ts';
import type { ChartObject, PodTemplate } from './render.ts';

/** Reads loadtest/job.yaml and sets its namespace. */
export function readLoadtestJob(namespace: string): ChartObject {
  const job = parse(readFileSync(join(root, 'loadtest/job.yaml'), 'utf8')) as ChartObject;
  return { ...job, metadata: { ...job.metadata, namespace } };
}

/** Returns the pod template of the Job. */
export function podOf(job: ChartObject): PodTemplate {
  const [found] = podsOf([job]);
  if (found === undefined) throw new Error(`the ${job.kind} ${job.metadata.name} makes no pod`);
  return found[1];
}

/** Names in the pod template that must match those of a release. */
export interface JobNames {
  labels: Record<string, string>;
  image: string;
  /** URLs, by the name of their environment variable. */
  addresses: Record<string, URL>;
  /** Keys of Secrets, each as secret/key. */
  secrets: string[];
}

/** Reads the names of release objects from the Job. */
export function namesOf(job: ChartObject): JobNames {
  const { metadata, spec } = podOf(job);
  const [container] = spec.containers;
  const volumes = spec.volumes as { secret?: { secretName: string; items: { key: string }[] } }[];
  const addresses = (container?.env ?? []).filter(({ value = '' }) => value.includes('://'));
  return {
    labels: (metadata as ChartObject['metadata']).labels ?? {},
    image: container?.image ?? '',
    addresses: Object.fromEntries(addresses.map(({ name, value }) => [name, new URL(value ?? '')])),
    secrets: volumes.flatMap(({ secret }) => secret?.items.map(({ key }) => `${secret.secretName}/${key}`) ?? []),
  };
}
