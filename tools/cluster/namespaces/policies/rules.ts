import { addressOf, findAllowed } from './policy.ts';
import type { Allowance, Direction, PolicyInputs } from './policy.ts';

/** iptables chain for all packets to and from the pods of a node. */
export const POLICY_CHAIN = 'SVC-ASR-POLICIES';

/** Input of iptables-restore, and the chains of single pods that it defines. */
export interface Rules {
  text: string;
  chains: readonly string[];
}

const SIDES: Readonly<Record<Direction, { chain: string; pod: string; peer: string }>> = {
  ingress: { chain: 'SVC-ASR-IN', pod: '-d', peer: '-s' },
  egress: { chain: 'SVC-ASR-OUT', pod: '-s', peer: '-d' },
};

/**
 * Builds the iptables rules that enforce policies for the pods of a node. A pod has a chain for each direction that a
 * policy restricts. The chain lets allowed packets return and rejects all others. A connection between two pods must
 * therefore be allowed by the chains of both. iptables-restore applies the text atomically. The text also deletes the
 * chains in `former` that are no longer used.
 */
export function buildRules(inputs: PolicyInputs, node: string, former: readonly string[]): Rules {
  const jumps: string[] = [];
  const chains = new Map<string, string[]>();
  for (const pod of inputs.pods) {
    const address = addressOf(pod);
    if (address === undefined || pod.spec?.nodeName !== node) continue;
    for (const direction of ['egress', 'ingress'] as const) {
      const allowed = findAllowed(inputs, pod, direction);
      if (allowed === undefined) continue;
      const side = SIDES[direction];
      const chain = `${side.chain}-${address}`;
      jumps.push(`-A ${POLICY_CHAIN} ${side.pod} ${address} -j ${chain}`);
      const lines = new Set(allowed.map((allowance) => `-A ${chain}${matchOf(allowance, side.peer)} -j RETURN`));
      // A client gets an error at once instead of waiting for a timeout.
      chains.set(chain, [...lines, `-A ${chain} -j REJECT --reject-with icmp-admin-prohibited`]);
    }
  }
  const unused = former.filter((chain) => !chains.has(chain));
  const lines = [
    '*filter',
    ...[POLICY_CHAIN, ...chains.keys(), ...unused].map((chain) => `:${chain} - [0:0]`),
    // Policies restrict only new connections. Packets of established connections, and replies, always pass.
    `-A ${POLICY_CHAIN} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`,
    ...jumps,
    ...[...chains.values()].flat(),
    ...unused.map((chain) => `-X ${chain}`),
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
