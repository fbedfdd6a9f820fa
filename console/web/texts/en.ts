import { account } from './en/account.ts';
import { general } from './en/general.ts';
import { keyDialogs, keys } from './en/keys.ts';
import { navigation } from './en/navigation.ts';
import { creditRequest, overview } from './en/overview.ts';
import { playground } from './en/playground.ts';
import { quickStart } from './en/quick-start.ts';
import { refusals, sessionDetail, sessions } from './en/sessions.ts';
import { privateLink, signIn, signInProblems, states } from './en/sign-in.ts';
import { invitation, team } from './en/team.ts';
import { usage } from './en/usage.ts';

/** English texts of the pages, by area. */
export const en = {
  account,
  general,
  creditRequest,
  invitation,
  keyDialogs,
  keys,
  navigation,
  overview,
  playground,
  privateLink,
  quickStart,
  refusals,
  sessionDetail,
  sessions,
  signIn,
  signInProblems,
  states,
  team,
  usage,
};
