declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider';

  /** Creates a store in memory for one provider. */
  export function createMemoryAdapter(): AdapterFactory;
}
