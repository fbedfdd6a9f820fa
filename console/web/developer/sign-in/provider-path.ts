/** Path that starts a sign-in with the identity provider. */
export const PROVIDER_PATH = '/console/v1/sign-in/oidc';
