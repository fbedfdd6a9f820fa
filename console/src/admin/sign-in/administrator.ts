import type { Request } from 'express';
import type { Actor } from '../../audit/entry.ts';

/** An authenticated administrator. */
export interface Administrator extends Actor {
  /** How the administrator was authenticated. */
  readonly signedInBy: 'token' | 'oidc';
  /** An auditor can only read. */
  readonly role: 'administrator' | 'auditor';
}

/** Administrator that holds the admin token: the command line, or a browser that signed in with the token. */
export const TOKEN_HOLDER: Administrator = {
  actor: 'admin-token',
  name: null,
  signedInBy: 'token',
  role: 'administrator',
};

const administrators = new WeakMap<Request, Administrator>();

/** Stores who sent a request. */
export function setAdministrator(request: Request, administrator: Administrator): void {
  administrators.set(request, administrator);
}

/** Returns who sent a request that was authenticated. */
export function administratorOf(request: Request): Administrator {
  const found = administrators.get(request);
  if (found === undefined) throw new Error('the request was not authenticated');
  return found;
}
