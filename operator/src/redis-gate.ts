import type { RedisLink } from '@svc-asr/ledger';
import { passGate } from './kubernetes/gate.ts';
import type { Gate } from './kubernetes/gate.ts';

/** Wraps a connection so that it sends nothing while this process is not the leader. */
export function guardLink(link: RedisLink, gate: Gate): RedisLink {
  return {
    get ready() {
      return link.ready;
    },
    run: async (script, key, args) => {
      passGate(gate);
      return link.run(script, key, args);
    },
    send: async (key, command) => {
      passGate(gate);
      return link.send(key, command);
    },
    nodes: async () => {
      passGate(gate);
      const nodes = await link.nodes();
      return nodes.map((node) => ({
        send: async (command) => {
          passGate(gate);
          return node.send(command);
        },
      }));
    },
    close: link.close,
  };
}
