/** Texts of the navigation. */
export const navigation = {
  label: 'Pages',
  overview: 'Overview',
  playground: 'Playground',
  keys: 'API keys',
  usage: 'Usage',
  sessions: 'Sessions',
  team: 'Team',
  quickStart: 'Quick start',
  account: 'Account',
  documentation: 'Documentation',
  signOut: 'Sign out',
};
