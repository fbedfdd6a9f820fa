/** Label that all tenants beyond the limit share. No Tenant can have this name. */
export const OTHER_TENANTS = '_other';

/**
 * Chooses the values of the label `tenant`. The first tenants that a process serves get their own value, up to a limit.
 * All later tenants share one value, so that the number of time series is limited.
 */
export class TenantLabels {
  readonly #max: number;
  readonly #named = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  of(tenant: string): string {
    if (this.#named.has(tenant)) return tenant;
    if (this.#named.size >= this.#max) return OTHER_TENANTS;
    this.#named.add(tenant);
    return tenant;
  }
}
