import { readSettings } from '../settings.ts';
import { TELEMETRY_SETTINGS } from './settings.ts';

const read = (env: NodeJS.ProcessEnv) => readSettings(TELEMETRY_SETTINGS, env);

test('sends nothing anywhere unless told to, and then every session', () => {
  expect(read({})).toMatchObject({ OTEL_EXPORTER_OTLP_ENDPOINT: '', TRACES_SAMPLE_RATIO: 1 });
});

test('takes headers as OpenTelemetry writes them', () => {
  const { OTEL_EXPORTER_OTLP_HEADERS } = read({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=b, x-team=speech',
  });
  expect(OTEL_EXPORTER_OTLP_HEADERS).toEqual({ authorization: 'Bearer a=b', 'x-team': 'speech' });
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'http://'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'nonsense' }, 'header 1 is not name=value'],
  [{ TRACES_SAMPLE_RATIO: '1.5' }, 'not from 0 to 1'],
  [{ TRACES_SAMPLE_RATIO: 'all' }, 'not from 0 to 1'],
])('refuses %j', (env, message) => {
  expect(() => read(env)).toThrow(message);
});

test('a wrong header is not repeated, since it may be a secret', () => {
  expect(() => read({ OTEL_EXPORTER_OTLP_HEADERS: 'verysecret' })).toThrow(/^(?!.*verysecret)/s);
});
