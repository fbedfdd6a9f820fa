import { isSameRollout, NO_ROLLOUT } from '@svc-asr/core';
import type { AsrModel, RolloutDecision, RolloutState } from '@svc-asr/core';
import type { WorkerTemplate } from '../template.ts';
import { decideRevision, isReplacing } from './decide.ts';
import type { PoolDependencies } from './dependencies.ts';
import { observeRevisions } from './observe.ts';
import type { PoolView } from './observe.ts';

/** The rollout of a pool: which revisions of its model serve, and the state that the runtime stores. */
export class PoolRollout {
  readonly #name: string;
  readonly #dependencies: PoolDependencies;
  #decision: RolloutDecision | undefined;
  /**
   * The state that the runtime stores. It is not updated within a phase, because progress within a phase is not worth a
   * write.
   */
  #stored: RolloutState | undefined;

  constructor(name: string, dependencies: PoolDependencies) {
    this.#name = name;
    this.#dependencies = dependencies;
  }

  /** The last decision. Undefined if the model was deleted, or if the state of its rollout is not known yet. */
  get decision(): RolloutDecision | undefined {
    return this.#decision;
  }

  /** The state to store. Undefined before the first decision. */
  get stored(): RolloutState | undefined {
    return this.#stored;
  }

  /**
   * Decides which revisions serve. Decides nothing before the namespace of the model was listed. Until then, the
   * rollout state that an earlier operator stored is unknown, and a revision that was rolled back would serve again.
   */
  decide(
    model: AsrModel | undefined,
    template: WorkerTemplate | undefined,
    view: PoolView,
    isLedgerRead: boolean,
  ): void {
    const { runtime, rolloutBudget, report, nowMs } = this.#dependencies;
    if (model === undefined || template === undefined || runtime.isListed?.(template) === false) {
      rolloutBudget.update(this.#name, false);
      this.#decision = undefined;
      return;
    }
    this.#stored ??= runtime.storedRollout(template);
    const { revision: wanted } = template;
    const state = this.#decision?.state ?? this.#stored ?? NO_ROLLOUT;
    const replacesWorkers = runtime.list(this.#name).some(({ revision }) => revision === state.stable);
    const decision = decideRevision({
      model,
      wanted,
      state,
      mayStart: !replacesWorkers || rolloutBudget.mayStart(this.#name),
      observations: isLedgerRead ? observeRevisions(this.#name, wanted, view, this.#dependencies) : undefined,
      nowMs: nowMs(),
    });
    if (!isSameRollout(this.#stored ?? NO_ROLLOUT, decision.state)) this.#stored = decision.state;
    rolloutBudget.update(this.#name, isReplacing(decision));
    report.rollout(this.#name, this.#decision, decision);
    this.#decision = decision;
  }
}
