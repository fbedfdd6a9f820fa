import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** True if the signed-in user is an administrator, who may make changes. False for an auditor, who can only read. */
export const MayChange = createContext(true);

/**
 * Returns true if the page should offer changes to the user. Independently of this, the server checks the role of the
 * user for each request.
 */
export function useMayChange(): boolean {
  return useContext(MayChange);
}
