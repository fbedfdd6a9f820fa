/**
 * Limits the number of models whose workers are being replaced. A change that affects all models, such as an upgrade,
 * therefore does not restart all pools at the same time.
 */
export class RolloutBudget {
  readonly #limit: number;
  readonly #models = new Set<string>();

  /** `limit` is the maximum number of models. 0 sets no limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Reports whether a rollout of the model may start. A rollout that has started may always continue. */
  mayStart(model: string): boolean {
    return this.#limit === 0 || this.#models.has(model) || this.#models.size < this.#limit;
  }

  /** Records whether workers of the model are being replaced. */
  update(model: string, isReplacing: boolean): void {
    if (isReplacing) this.#models.add(model);
    else this.#models.delete(model);
  }
}
