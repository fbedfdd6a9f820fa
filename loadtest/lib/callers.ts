import type { Caller, Role } from './plan.ts';
import { plan } from './plan-file.ts';

/** Returns the tenant of a virtual user. Users are distributed evenly over the tenants of a role. */
export function callerOf(role: Role, user: number): Caller {
  const callers = plan.callers.filter((caller) => caller.role === role);
  const caller = callers[user % callers.length];
  if (caller === undefined) throw new Error(`the plan has no ${role} tenant`);
  return caller;
}
