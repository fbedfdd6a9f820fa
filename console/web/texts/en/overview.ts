/** Texts of the overview. */
export const overview = {
  title: 'Overview',
  balance: 'Credit',
  available: 'Available',
  held: 'Held by live sessions',
  used: 'Used',
  left: 'of audio left',
  barLabel: (available: string, held: string, used: string) => `${available} available, ${held} held, ${used} used`,
  budget: (remaining: string, monthly: string, date: string) =>
    `Monthly budget: ${remaining} of ${monthly} left. It renews on ${date}.`,
  heldHint: 'A session holds credit while it runs. What it does not use is returned when it ends.',
  live: 'Sessions now',
  liveOf: (limit: string) => `of ${limit} at the same time`,
  liveFull: 'All sessions are in use. Further ones are refused until one ends.',
  rates: (sessions: string) => `Up to ${sessions} new sessions per minute`,
  pending: 'Your account is being created. This takes a few seconds.',
  unavailable: 'Your balance is temporarily unavailable. Your credit is safe.',
  recent: 'Recent sessions',
  allSessions: 'All sessions',
  noSessions: 'No sessions yet',
  noSessionsText: 'Create an API key, then send your first audio.',
  toQuickStart: 'Open the quick start',
  zeroTitle: 'You have no credit left',
  zeroText: 'New sessions are refused until an administrator grants more credit.',
  lowTitle: 'Your credit is running low',
  lowText: (left: string) => `${left} of audio left. New sessions are refused when the credit is used up.`,
  readOnly: 'A file defines this account. Add credit there.',
  requested: (date: string) => `You asked for more credit on ${date}.`,
};

/** Texts of the dialog that asks for credit. */
export const creditRequest = {
  open: 'Ask for credit',
  again: 'Ask again',
  title: 'Ask for more credit',
  text: 'An administrator reads your request and grants the credit. The new balance then appears here.',
  hours: 'Hours of audio',
  message: 'What do you need it for?',
  send: 'Send request',
  sent: 'Your request was sent.',
  tooManyHours: 'Enter at most 277,777 hours.',
  invalidHours: 'Enter a number of hours that is greater than 0.',
};
