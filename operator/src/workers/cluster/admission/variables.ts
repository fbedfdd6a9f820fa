/**
 * Variables that decide which code a process loads, which certificates it trusts, or which identity it has. A model
 * must not set them, whether or not the operator sets them too. Node.js reads NODE_*, the dynamic linker LD_*.
 */
const UNSAFE: readonly RegExp[] = [
  /^(NODE|LD|OPENSSL|SSL_CERT|REDIS|TLS)_/,
  /^WORKER_TICKET/,
  /^(PATH|GCONV_PATH|CUDA_INJECTION64_PATH|ADVERTISE_ADDRESS)$/,
];

/**
 * Variables that match a pattern above but are harmless. `NODE_USE_ENV_PROXY` only makes Node.js use a proxy, which
 * forwards TLS connections without reading them.
 */
const SAFE: readonly string[] = ['NODE_USE_ENV_PROXY'];

/** Reports whether a model could take control of its worker processes with this variable. */
export function isUnsafeVariable(name: string): boolean {
  return !SAFE.includes(name) && UNSAFE.some((pattern) => pattern.test(name));
}
