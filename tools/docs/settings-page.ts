import type { Settings } from '@svc-asr/runtime';
import { buildPage, buildTable, code } from './markdown.ts';

/** Builds the page of all settings, with one table per service. */
export function buildSettingsPage(services: Readonly<Record<string, Settings>>): string {
  const introduction = [
    'Services are configured by environment variables. If a value is invalid or missing, the service',
    'exits at start and prints one line per setting. Names that end in `_MS` are in milliseconds. A',
    'setting marked *secret* can also be read from a file, which is recommended. `NAME_FILE` is the',
    'path of the file and takes precedence over `NAME`. `npm start` passes its environment to the',
    'services.',
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
  if (fallback === undefined) return 'required';
  return fallback === '' ? 'empty' : code(fallback);
}
