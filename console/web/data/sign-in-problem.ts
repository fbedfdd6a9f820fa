import { texts } from '../texts/index.ts';

const PARAMETER = 'sign_in_error';

/** Removes the error code of a failed sign-in from the address, and returns its message. Empty if there is no code. */
export function takeSignInProblem(): string {
  const code = new URLSearchParams(location.search).get(PARAMETER);
  if (code === null) return '';
  history.replaceState(null, '', '/');
  const known: Readonly<Record<string, string>> = texts.signInProblems;
  return known[code] ?? texts.signInProblems.sign_in_failed;
}
