import { join, relative } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { homeOf } from './home.ts';
import type { Installation } from './run.ts';

/** Recording that the suggested command transcribes. */
export const RECORDING = join(root, 'worker/models/svc-asr-kikuyu-v1/eval/ki_espeak_009.wav');

/**
 * Builds the text that is shown when all services run. `strong` highlights a part of the text, or returns the part
 * unchanged if there is no terminal. `folder` is the folder in which the user ran the command. Paths below `folder` are
 * shown relative to it.
 */
export function buildWelcome(
  { home, local, consoleLink, adminTokenFile, observeUrl }: Installation,
  folder: string,
  strong: (text: string) => string,
): string {
  const { base_url: baseUrl, api_key: apiKey } = local;
  const ca = shown(local.ca_file, folder);
  const setting = homeSetting(home.path);
  return `
  ${strong('svc-asr is running')}

  API       ${strong(baseUrl)}
  API key   ${strong(apiKey)}
  docs      ${baseUrl}/docs
  console   ${consoleLink}
            (signs you in once, within an hour)
  admin     ${local.admin_url} (token in ${shown(adminTokenFile, folder)})${observeUrl === undefined ? '' : `\n  live      ${strong(observeUrl)}`}
  state     ${shown(home.path, folder)}

  Try it:

  ${strong(`${setting}npx svc-asr transcribe --language ki ${shown(RECORDING, folder)}`)}

  curl --cacert ${ca} ${baseUrl}/v1/models

  curl --cacert ${ca} ${baseUrl}/v1/asr/sessions \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model": "svc-asr-kikuyu-v1", "max_audio_seconds": 60}'

  ${setting}npx svc-asr usage

  Browsers do not know the local CA. Import ${ca},
  or open ${baseUrl} once and accept the warning.

  Ctrl-C stops everything.
`;
}

/** Returns a path that can be pasted: relative if it is below the folder, and quoted if the shell needs it. */
function shown(path: string, folder: string): string {
  const near = relative(folder, path);
  const short = near.startsWith('..') || near === '' ? path : near;
  return quoted(short);
}

/**
 * Returns the assignment of SVC_ASR_HOME that a command needs to find the installation, or an empty string for the
 * default folder. The path is absolute, so that it works in any folder.
 */
function homeSetting(homePath: string): string {
  return homePath === homeOf({}).path ? '' : `SVC_ASR_HOME=${quoted(homePath)} `;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
