/**
 * ApiKeys whose tenant did not exist when they were reconciled. They are reconciled again when the tenant exists, so
 * that their status stops reporting a missing tenant.
 */
export class WaitingKeys {
  readonly #byTenant = new Map<string, Set<string>>();

  /** Adds an ApiKey that waits for a tenant. */
  add(tenant: string, key: string): void {
    const keys = this.#byTenant.get(tenant) ?? new Set();
    this.#byTenant.set(tenant, keys.add(key));
  }

  /** Removes and returns the ApiKeys that wait for a tenant. Some of them may have been deleted. */
  take(tenant: string): string[] {
    const keys = [...(this.#byTenant.get(tenant) ?? [])];
    this.#byTenant.delete(tenant);
    return keys;
  }
}
