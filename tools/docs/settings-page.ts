import type { Settings } from '@svc-asr/runtime';
import { buildPage, buildTable, code } from './markdown.ts';

/** The page of all settings: one table per service. */
export function buildSettingsPage(services: Readonly<Record<string, Settings>>): string {
  const introduction = [
    'Every service is set by environment variables. A value that is wrong or missing stops the service at start, with',
    'one line per setting. Durations are in milliseconds where the name ends in `_MS`. A setting marked *secret* may',
    'also be read from a file: `NAME_FILE` holds the path, wins over `NAME`, and is the way that is recommended.',
    '`npm start` passes what stands in its own environment on to the services.',
  ].join('\n');
  const sections = Object.entries(services).flatMap(([service, settings]) => [
    `## ${service}`,
    buildTable(
      ['name', 'default', 'meaning'],
      Object.entries(settings).map(([name, { fallback, description, secret }]) => [
        code(name),
        showDefault(fallback),
        secret === true ? `${description} *Secret.*` : description,
      ]),
    ),
  ]);
  return buildPage('Settings', introduction, sections);
}

function showDefault(fallback: string | undefined): string {
  if (fallback === undefined) return 'none: must be set';
  return fallback === '' ? 'empty' : code(fallback);
}
