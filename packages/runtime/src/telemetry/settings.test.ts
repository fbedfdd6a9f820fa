import { readSettings } from '../settings.ts';
import { TELEMETRY_SETTINGS } from './settings.ts';

const read = (env: NodeJS.ProcessEnv) => readSettings(TELEMETRY_SETTINGS, env);

test('by default telemetry is not exported, and the sample ratio includes every session', () => {
  expect(read({})).toMatchObject({ OTEL_EXPORTER_OTLP_ENDPOINT: '', TRACES_SAMPLE_RATIO: 1 });
});

test('OTEL_EXPORTER_OTLP_HEADERS accepts the format that OpenTelemetry specifies', () => {
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
])('the telemetry settings refuse the environment %j', (env, message) => {
  expect(() => read(env)).toThrow(message);
});

test('an error about OTEL_EXPORTER_OTLP_HEADERS does not quote the invalid header, which may be a secret', () => {
  expect(() => read({ OTEL_EXPORTER_OTLP_HEADERS: 'verysecret' })).toThrow(/^(?!.*verysecret)/s);
});
