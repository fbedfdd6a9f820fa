import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CreatedKey, ListedKey, OwnTenantView } from '../../src/responses.ts';

/** The signed-in developer's tenant, and functions that pages use to change it or to show results. */
export interface AccountAccess {
  readonly account: OwnTenantView;
  /** Reads the tenant again. */
  readonly reload: () => Promise<void>;
  /** Shows a new private link until the user has saved it. */
  readonly showLink: (token: string) => void;
  /** Shows a new API key until the user has saved it. `old` is the key that the new key replaces. */
  readonly showKey: (created: CreatedKey, old?: ListedKey) => void;
  /** Shows the sign-in page with a message. */
  readonly leave: (message: string) => void;
}

export const AccountContext = createContext<AccountAccess | undefined>(undefined);

export function useAccount(): AccountAccess {
  const access = useContext(AccountContext);
  if (access === undefined) throw new Error('useAccount needs an AccountContext around the component');
  return access;
}

/** Returns true if the signed-in developer may create and revoke keys, use the playground and ask for credit. */
export function mayDevelop({ role }: OwnTenantView): boolean {
  return role !== 'viewer';
}
