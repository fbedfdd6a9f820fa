import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MODULE = fileURLToPath(new URL('telemetry.ts', import.meta.url));

/** Returns the modules that a process loads when it starts telemetry with this endpoint. */
function loaded(endpoint: string): string[] {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: {},
    TRACES_SAMPLE_RATIO: 1,
    OTEL_BSP_SCHEDULE_DELAY: 60_000,
    OTEL_METRIC_EXPORT_INTERVAL: 60_000,
  };
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    const { createTelemetry } = await import(${JSON.stringify(MODULE)});
    const { tracing } = await createTelemetry('test', ${JSON.stringify(settings)}, { warn: () => undefined });
    console.log(JSON.stringify([tracing === undefined, urls]));
    process.exit();`;
  const args = ['--no-warnings', '--input-type=module', '--eval', program];
  const [isOff, urls] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as [boolean, string[]];
  expect(isOff).toBe(endpoint === '');
  return urls.filter((url) => /sdk-trace|otlp/.test(url));
}

test('createTelemetry loads no tracing or export modules if no receiver is configured', () => {
  expect(loaded('')).toEqual([]);
  expect(loaded('http://127.0.0.1:9')).not.toEqual([]);
});
