/** Time for which a failure on a node counts. */
const REMEMBERED_MS = 3_600_000;
/** Number of failed workers of a model on a node at which the node counts as failing. */
const FAILURE_LIMIT = 2;

interface NodeFailure {
  model: string;
  node: string;
  atMs: number;
}

/** Failures of workers on nodes. If workers fail repeatedly on one node and work on others, the cause is that node. */
export class NodeFailures {
  readonly #nowMs: () => number;
  #failures: NodeFailure[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Records that a worker of a model failed on a node. Returns true if the node counts as failing from now on. */
  record(model: string, node: string): boolean {
    const wasFailing = this.list(model).includes(node);
    this.#failures.push({ model, node, atMs: this.#nowMs() });
    return !wasFailing && this.list(model).includes(node);
  }

  /** Returns the nodes on which workers of a model failed repeatedly, sorted by name. */
  list(model: string): string[] {
    const sinceMs = this.#nowMs() - REMEMBERED_MS;
    this.#failures = this.#failures.filter(({ atMs }) => atMs > sinceMs);
    const nodes = this.#failures.filter((failure) => failure.model === model).map(({ node }) => node);
    return [...new Set(nodes)].filter((node) => countOf(nodes, node) >= FAILURE_LIMIT).sort();
  }
}

function countOf(values: readonly string[], value: string): number {
  return values.filter((one) => one === value).length;
}

/** Describes a node on which workers fail, for the log and the event. */
export function describeFailingNode(model: string, node: string, failure: string): string {
  return (
    `workers of ${model} fail repeatedly on node ${node} and work on others; the last ${failure}. ` +
    `Check the node. "kubectl cordon ${node}" keeps further pods off it`
  );
}
