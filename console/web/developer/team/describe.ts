import type { MemberView } from '../../../src/responses.ts';
import { texts } from '../../texts/index.ts';

/** Returns the name that the page shows for a member or an invitation. */
export function nameOf({ name, email }: MemberView): string {
  return name ?? email ?? texts.team.unnamed;
}
