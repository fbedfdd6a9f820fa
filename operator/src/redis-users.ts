import { randomBytes } from 'node:crypto';
import { deleteWorkerUser, setWorkerUser, workerUserOf } from '@svc-asr/ledger';
import type { RedisConnection } from '@svc-asr/ledger';

const PASSWORD_BYTES = 32;

export interface RedisUsersOptions {
  link: Pick<RedisConnection, 'masters'>;
  /** REDIS_URL of the operator. Workers use the same servers. */
  url: string;
  prefix: string;
  /** Called when a user gets a password that this operator has not set in Redis yet. */
  onChange: () => void;
}

/**
 * Redis users of the workers, one for each model. Only the workers that serve a model mount the Secret with the
 * password of its user. The user can neither register workers for another model nor read the pool of another model.
 */
export class RedisUsers {
  readonly #options: RedisUsersOptions;
  readonly #passwords = new Map<string, string>();

  constructor(options: RedisUsersOptions) {
    this.#options = options;
  }

  /**
   * Returns the REDIS_URL of a model's workers, for the model's Secret. The URL contains the password of the existing
   * Secret, or a new password if there is no Secret.
   */
  urlOf(model: string, existing: string | undefined): string {
    const { prefix, url } = this.#options;
    const user = workerUserOf(prefix, model);
    const password = readPassword(existing, user) ?? randomBytes(PASSWORD_BYTES).toString('base64url');
    if (this.#passwords.get(model) !== password) {
      this.#passwords.set(model, password);
      this.#options.onChange();
    }
    return replaceUser(url, user, password);
  }

  /** Creates all users in Redis, or updates those that exist. */
  async apply(): Promise<void> {
    const { link, prefix } = this.#options;
    const masters = link.masters();
    for (const [model, password] of this.#passwords) await setWorkerUser(masters, { prefix, model, password });
  }

  /** Deletes the user of a model that has no workers any more. */
  async remove(model: string): Promise<void> {
    const { link, prefix } = this.#options;
    this.#passwords.delete(model);
    await deleteWorkerUser(link.masters(), { prefix, model });
  }
}

function readPassword(url: string | undefined, user: string): string | undefined {
  const [first = ''] = (url ?? '').split(',');
  if (!URL.canParse(first)) return undefined;
  const { username, password } = new URL(first);
  return decodeURIComponent(username) === user && password !== '' ? decodeURIComponent(password) : undefined;
}

/** Replaces user and password in each address of a REDIS_URL. */
function replaceUser(urls: string, user: string, password: string): string {
  const replace = (address: string) => {
    const url = new URL(address.trim());
    url.username = encodeURIComponent(user);
    url.password = encodeURIComponent(password);
    return url.href;
  };
  return urls.split(',').map(replace).join(',');
}
