/** Imports of each node. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Finds every group of nodes that reach each other, and every node that imports itself, with Tarjan's algorithm. */
export function findCycles(graph: Graph): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  function visit(node: string): number {
    const index = order.size;
    order.set(node, index);
    let lowest = index;
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (onStack.has(next)) lowest = Math.min(lowest, order.get(next) ?? index);
    }
    if (lowest === index) collect(node);
    return lowest;
  }

  function collect(node: string): void {
    const group = stack.splice(stack.lastIndexOf(node));
    for (const member of group) onStack.delete(member);
    if (group.length > 1 || graph.get(node)?.includes(node) === true) cycles.push(group.sort());
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort();
}
