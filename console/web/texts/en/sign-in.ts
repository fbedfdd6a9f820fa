/** Texts of the pages for visitors: the sign-in and the application for an account. */
export const signIn = {
  title: 'Streaming speech recognition',
  lead: 'For Kikuyu, Dholuo and more languages to come. Stream audio and receive text while your users speak.',
  points: [
    'Live transcripts over one WebSocket, with an open protocol',
    'One-use sessions, so that no API key reaches a browser or a phone',
    'Charged by the second, and never for a failure of the service',
  ],
  joinTitle: 'Join the waitlist',
  joinText: 'When your application is approved, you can create API keys here.',
  name: 'Your name',
  email: 'Email',
  emailHint: 'An address such as name@example.org',
  organisation: 'Organisation',
  use: 'What do you want to build?',
  join: 'Join waitlist',
  signInTitle: 'Sign in',
  withAccount: 'Sign in with your account',
  orLink: 'Or use your private link',
  link: 'Private link',
  signIn: 'Sign in',
  noLink: 'Paste your private link.',
  invitationLink: 'This is an invitation. Open it in the address bar.',
  lostLink: 'Lost your link? Ask the administrator for a new one.',
  ended: 'You were signed out. Sign in again.',
  signedOut: 'You have signed out.',
  revoked: 'The private link is revoked, and all browsers are signed out.',
  noTenant: 'You are signed in, but you are not a member of any account. Join the waitlist, or ask for an invitation.',
  switchTitle: 'Switch to another account?',
  switchText: (current: string, next: string) =>
    `You are signed in as ${current}. The link that you opened belongs to ${next}.`,
  switchAction: 'Switch account',
  stay: (current: string) => `Stay with ${current}`,
  loadingTitle: 'Loading your account',
  failedTitle: 'The console is not available',
};

/** Texts about the private link, which is shown once. */
export const privateLink = {
  title: 'Save your private link',
  text: 'You need this link to sign in again. It cannot be shown later.',
  warning: 'Anyone who has the link can sign in as you.',
  label: 'Your private link',
  saved: 'I have saved the link',
};

/** Texts for tenants that are not active. */
export const states = {
  waitingTitle: 'You are on the waitlist',
  waitingText: 'Your application is pending. This page shows the decision as soon as an administrator has made it.',
  waitingKeep: 'Keep your private link: you need it to come back.',
  declinedTitle: 'Your application was declined',
  declinedText: 'Contact the administrator if you think that this is a mistake.',
  declinedReason: 'Reason',
  suspendedTitle: 'Your account is suspended',
  suspendedText: 'The API rejects your keys until the administrator reactivates your account.',
  application: 'Your application',
  applied: 'Sent',
  applicant: 'Name',
  use: 'Intended use',
};

/** Messages about a failed sign-in with an account of the identity provider, by the error code of the server. */
export const signInProblems = {
  sign_in_failed: 'The sign-in failed or was cancelled. Try again.',
  sign_in_expired: 'The sign-in took too long, or was started in another browser. Try again.',
  identity_provider_unavailable:
    'The sign-in service is not available. Try again in a minute, or use your private link.',
  no_admin_role: 'None of your groups has a role on this page. Ask the operators of the service.',
  service_unavailable: 'The console cannot sign you in at the moment. Try again in a minute, or use your private link.',
  rate_limit_exceeded: 'Too many failed attempts. Try again in a minute.',
};
