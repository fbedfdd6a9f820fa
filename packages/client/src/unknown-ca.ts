/**
 * Describes the error of Node for a certificate of an unknown CA, with a remedy. Undefined for other errors. The bundle
 * for browsers does not contain this function, because browsers do not report why a connection failed.
 */
export function describeUnknownCa({ code, message }: { code?: unknown; message: string }): string | undefined {
  if (!/^UNABLE_TO_|SELF_SIGNED/.test(String(code))) return undefined;
  return `${message.split(';')[0]}; set NODE_EXTRA_CA_CERTS to the CA file`;
}
