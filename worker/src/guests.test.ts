import { readModelSettings } from './guests.ts';

const KEYS_FILE = import.meta.filename;
const ENV = { MODEL: 'ki', MODEL_DIR: '/ki', WORKER_TICKET_PUBLIC_KEYS_FILE: KEYS_FILE };

const read = (guests: unknown, env: NodeJS.ProcessEnv = {}) =>
  readModelSettings({ ...ENV, ...env, GUESTS: typeof guests === 'string' ? guests : JSON.stringify(guests) });

describe('readModelSettings', () => {
  test('returns only the settings of MODEL if there are no guests', () => {
    expect(readModelSettings(ENV).map(({ MODEL }) => MODEL)).toEqual(['ki']);
  });

  test('gives a guest its own model, and settings of the worker such as LEASE_MS and PROVIDER', () => {
    const [, guest] = read([{ MODEL: 'luo', MODEL_DIR: '/luo' }], { LEASE_MS: '4000', PROVIDER: 'cuda' });
    expect(guest).toMatchObject({ MODEL: 'luo', MODEL_DIR: '/luo', LEASE_MS: 4000, PROVIDER: 'cuda' });
  });

  test('gives a guest neither the port nor the slots of the worker', () => {
    const env = { PORT: '8443', SLOTS: '20', ADVERTISE_ADDRESS: 'ws://worker:1' };
    const [, measured, fixed] = read(
      [
        { MODEL: 'luo', MODEL_DIR: '/luo' },
        { MODEL: 'sw', MODEL_DIR: '/sw', PORT: 8444, SLOTS: 5 },
      ],
      env,
    );
    expect(measured).toMatchObject({ PORT: 0, SLOTS: 0, ADVERTISE_ADDRESS: '' });
    expect(fixed).toMatchObject({ PORT: 8444, SLOTS: 5 });
  });

  test('uses the REDIS_URL of a guest instead of the REDIS_URL_FILE of the worker', () => {
    const [, guest] = read([{ MODEL: 'luo', MODEL_DIR: '/luo', REDIS_URL: 'redis://guest' }], {
      REDIS_URL_FILE: KEYS_FILE,
    });
    expect(guest?.REDIS_URL).toBe('redis://guest');
  });

  test.each([
    ['not JSON', 'GUESTS: is not a JSON list'],
    [{}, 'GUESTS: is not a JSON list'],
    [['luo'], 'GUESTS[0]: is not an object'],
    [[{ MODEL: 'luo' }], 'GUESTS[0]: MODEL_DIR is missing'],
    [[{ MODEL: 'luo', MODEL_DIR: '/luo', PROVIDER: 'cuda' }], 'GUESTS[0]: PROVIDER is unknown'],
    [[{ MODEL: 'luo', MODEL_DIR: '/luo', SLOTS: null }], 'GUESTS[0]: SLOTS is not a text or number'],
    [[{ MODEL: 'luo', MODEL_DIR: '/luo', TLS_CERT_FILE: '/none' }], 'GUESTS[0]: TLS_CERT_FILE: the file /none'],
    [[{ MODEL: 'ki', MODEL_DIR: '/other' }], 'GUESTS: the model ki is listed twice'],
  ])('refuses %j and names the problem', (guests, problem) => {
    expect(() => read(guests)).toThrow(problem);
  });
});
