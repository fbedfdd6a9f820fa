import { join, relative } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { homeOf } from './home.ts';

/** Recording in the suggested command. */
export const RECORDING = join(root, 'worker/models/svc-asr-kikuyu-v1/eval/ki_espeak_009.wav');

export interface Welcome {
  baseUrl: string;
  consoleUrl: string;
  adminUrl: string;
  caFile: string;
  apiKey: string;
  homePath: string;
  observeUrl: string | undefined;
  workingFolder: string;
}

/**
 * Builds the text that is shown when all services run. `strong` highlights the important parts; it returns its input if
 * there is no terminal.
 */
export function buildWelcome(welcome: Welcome, strong: (text: string) => string): string {
  const { baseUrl, apiKey } = welcome;
  const ca = shown(welcome.caFile, welcome.workingFolder);
  const home = homeSetting(welcome.homePath);
  return `
  ${strong('svc-asr is running')}

  API       ${strong(baseUrl)}
  API key   ${strong(apiKey)}
  console   ${welcome.consoleUrl}
  admin     ${welcome.adminUrl}${welcome.observeUrl === undefined ? '' : `\n  live      ${strong(welcome.observeUrl)}`}
  state     ${shown(welcome.homePath, welcome.workingFolder)}

  Try it:

  ${strong(`${home}npx svc-asr transcribe --language ki ${shown(RECORDING, welcome.workingFolder)}`)}

  curl --cacert ${ca} ${baseUrl}/v1/models

  curl --cacert ${ca} ${baseUrl}/v1/asr/sessions \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model": "svc-asr-kikuyu-v1", "max_audio_seconds": 60}'

  ${home}npx svc-asr usage

  Ctrl-C stops everything.
`;
}

/** Returns the shortest form of a path that can be pasted, quoted if the shell needs it. */
function shown(path: string, folder: string): string {
  const near = relative(folder, path);
  const short = near.startsWith('..') || near === '' ? path : near;
  return quoted(short);
}

/**
 * Returns the assignment that a command needs to find the state, or an empty string for the default folder. The path is
 * absolute, so that it works in any folder.
 */
function homeSetting(homePath: string): string {
  return homePath === homeOf({}).path ? '' : `SVC_ASR_HOME=${quoted(homePath)} `;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
