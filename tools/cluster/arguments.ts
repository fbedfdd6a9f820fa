import { parseArgs } from 'node:util';

export const USAGE = `npm run cluster -- up|load|down|status [--name NAME] [--nodes N] [FILE...]
  up      starts a Kubernetes cluster on this machine and prints the shell commands that select it; needs root
  load    loads image archives into it; without a FILE, those that \`npm run images\` wrote
  down    removes it
  status  prints its state
`;

const ACTIONS = ['up', 'load', 'down', 'status'] as const;

/** Arguments of `npm run cluster`. */
export interface ClusterArguments {
  action: (typeof ACTIONS)[number];
  name: string;
  nodes: number;
  /** Image archives to load. */
  files: readonly string[];
}

/** Parses the arguments of `npm run cluster`. Returns undefined if they ask for the usage or name no action. */
export function parseClusterArguments(args: readonly string[]): ClusterArguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'default' },
      nodes: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  const [word, ...files] = positionals;
  if (values.help || word === undefined) return undefined;
  const action = ACTIONS.find((known) => known === word);
  if (action === undefined) throw new Error(`unknown command "${word}"; use one of ${ACTIONS.join(', ')}`);
  if (action !== 'load' && files.length > 0) throw new Error(`${action} takes no further argument: ${files.join(' ')}`);
  return { action, name: values.name, nodes: Number(values.nodes), files };
}
