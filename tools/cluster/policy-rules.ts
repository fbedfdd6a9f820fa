import { addressed, findAllowed } from './policy.ts';
import type { Allowance, Direction, World } from './policy.ts';

/** The chain that everything passes that goes to a pod of the node or comes from one. */
export const POLICY_CHAIN = 'SVC-ASR-POLICIES';

/** Rules of a node for iptables-restore, and the chains that they are in. */
export interface Rules {
  text: string;
  chains: readonly string[];
}

const SIDES: Readonly<Record<Direction, { chain: string; pod: string; peer: string }>> = {
  ingress: { chain: 'SVC-ASR-IN', pod: '-d', peer: '-s' },
  egress: { chain: 'SVC-ASR-OUT', pod: '-s', peer: '-d' },
};

/**
 * Writes what the policies mean for the pods of a node. A pod that a policy is for has a chain of its own, where what is
 * allowed goes back to where it came from and the rest is refused; so both ends of a connection are asked. All of it
 * takes the place of the former rules at once.
 */
export function buildRules(world: World, node: string, former: readonly string[]): Rules {
  const jumps: string[] = [];
  const chains = new Map<string, string[]>();
  for (const pod of addressed(world.pods).filter(({ spec }) => spec.nodeName === node)) {
    for (const direction of ['egress', 'ingress'] as const) {
      const allowed = findAllowed(world, pod, direction);
      if (allowed === undefined) continue;
      const side = SIDES[direction];
      const chain = `${side.chain}-${pod.status.podIP}`;
      jumps.push(`-A ${POLICY_CHAIN} ${side.pod} ${pod.status.podIP} -j ${chain}`);
      const lines = new Set(allowed.map((allowance) => `-A ${chain}${matchOf(allowance, side.peer)} -j RETURN`));
      // Said aloud, so that who is refused need not wait.
      chains.set(chain, [...lines, `-A ${chain} -j REJECT --reject-with icmp-admin-prohibited`]);
    }
  }
  const gone = former.filter((chain) => !chains.has(chain));
  const lines = [
    '*filter',
    ...[POLICY_CHAIN, ...chains.keys(), ...gone].map((chain) => `:${chain} - [0:0]`),
    // Who was let in is let go on, and answered.
    `-A ${POLICY_CHAIN} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`,
    ...jumps,
    ...[...chains.values()].flat(),
    ...gone.map((chain) => `-X ${chain}`),
    'COMMIT',
  ];
  return { text: `${lines.join('\n')}\n`, chains: [...chains.keys()] };
}

function matchOf({ address, protocol, ports }: Allowance, flag: string): string {
  return [
    address === undefined ? '' : ` ${flag} ${address}`,
    protocol === undefined ? '' : ` -p ${protocol}`,
    ports === undefined ? '' : ` --dport ${ports}`,
  ].join('');
}
