import { parseArgs } from 'node:util';

export const USAGE = `npm run e2e -- [--kubeconfig FILE [--registry NAME | --load COMMAND]] [--suite NAME] [--without TEST] [--keep] [PATTERN...]
  --kubeconfig  runs on this cluster, which must not have svc-asr installed; default: a new cluster on this machine
  --registry    pushes the images to this registry with skopeo; the cluster must be able to pull from it
  --load        loads the images with this command, to which the path of an archive is appended:
                --load "kind load image-archive"
                without --registry and --load, the images must have been loaded before
  --suite       "e2e" (default); "pools": pools of workers, with drained, reclaimed and late nodes, rollouts,
                failing workers and tiers; or "redis": the replicated Redis with failovers
  --without     leaves out the test files with this name, such as "drain" or "policies"; may be repeated
  --keep        keeps the cluster, or what the tests installed on it
  PATTERN       runs only the matching test files
`;

/** Suites of tests, and the folders of `test` that have their files. */
export const SUITES = { e2e: 'e2e', pools: 'e2e-pools', redis: 'e2e-redis' } as const;
type Suite = keyof typeof SUITES;

/** Arguments of `npm run e2e`. */
export interface E2eArguments {
  /** Kubeconfig file of an existing cluster. Undefined for a new cluster on this machine. */
  kubeconfig?: string;
  registry?: string;
  loadCommand?: string;
  suite: Suite;
  without: readonly string[];
  keep: boolean;
  patterns: readonly string[];
}

/** Parses the arguments of `npm run e2e`. Returns undefined if they ask for the usage. */
export function parseE2eArguments(args: readonly string[]): E2eArguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      kubeconfig: { type: 'string' },
      registry: { type: 'string' },
      load: { type: 'string' },
      suite: { type: 'string', default: 'e2e' },
      without: { type: 'string', multiple: true, default: [] },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { kubeconfig, registry, load, suite, without, keep, help } = values;
  if (help) return undefined;
  if (registry !== undefined && load !== undefined) throw new Error('use either --registry or --load');
  if (kubeconfig === undefined && (registry ?? load) !== undefined)
    throw new Error('--registry and --load need --kubeconfig');
  if (!isSuite(suite)) throw new Error(`--suite must be one of ${Object.keys(SUITES).join(', ')}, not ${suite}`);
  return {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(registry === undefined ? {} : { registry }),
    ...(load === undefined ? {} : { loadCommand: load }),
    suite,
    without,
    keep,
    patterns: positionals,
  };
}

function isSuite(name: string): name is Suite {
  return Object.hasOwn(SUITES, name);
}
