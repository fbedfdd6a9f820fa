import { parseArgs } from 'node:util';

export const USAGE = `npm run cluster -- up|down|status [--name NAME] [--nodes N]
  up      brings up a real Kubernetes cluster on this machine, or finds it up; needs root
  down    removes it and everything of it
  status  says how it is
`;

const ACTIONS = ['up', 'down', 'status'] as const;

/** What `npm run cluster` was asked for. */
export interface ClusterArguments {
  action: (typeof ACTIONS)[number];
  name: string;
  nodes: number;
}

/** Reads the arguments of `npm run cluster`; undefined when it was asked how it is used. */
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
  if (values.help || positionals.length === 0) return undefined;
  const action = ACTIONS.find((known) => known === positionals[0]);
  if (action === undefined || positionals.length > 1) {
    throw new Error(`"${positionals.join(' ')}" is none of ${ACTIONS.join(', ')}`);
  }
  return { action, name: values.name, nodes: Number(values.nodes) };
}
