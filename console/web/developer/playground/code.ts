import type { StreamConfig } from '@svc-asr/client/browser';
import { shellQuoted } from '../shell-quoted.ts';

/** Values that the example code of the playground contains. */
export interface CodeFacts {
  readonly apiUrl: string;
  /** CA file of the API. Null if clients trust the certificate of the API without it. */
  readonly caFile: string | null;
  readonly model: string;
  readonly maxAudioSeconds: number;
  readonly config: StreamConfig;
  /** Key that a comment of the code names. Undefined if the account has none. */
  readonly key: { readonly name: string; readonly lastFour: string } | undefined;
}

export const CODE_KINDS = ['curl', 'node', 'python', 'browser'] as const;
export type CodeKind = (typeof CODE_KINDS)[number];

/**
 * Returns example code for the chosen settings. It names the environment variable with the API key, and never contains
 * the key.
 */
export function buildCode(kind: CodeKind, facts: CodeFacts): string {
  const build = { curl: buildCurl, node: buildNode, python: buildPython, browser: buildBrowser }[kind];
  return build(facts).join('\n');
}

/**
 * Builds the comment that names the API key to put into the environment. Line breaks in the name of the key are
 * replaced by spaces, because they would end the comment.
 */
function keyComment({ key }: CodeFacts): string {
  if (key === undefined) return 'SVC_ASR_API_KEY must contain an API key of your account.';
  if (key.name === '') return `SVC_ASR_API_KEY must contain the key that ends with ${key.lastFour}.`;
  return `SVC_ASR_API_KEY must contain the key "${key.name.replace(/\s+/g, ' ')}", which ends with ${key.lastFour}.`;
}

function buildCurl(facts: CodeFacts): string[] {
  const { apiUrl, caFile, model, maxAudioSeconds, config } = facts;
  return [
    `# ${keyComment(facts)}`,
    `curl ${caFile === null ? '' : `--cacert ${shellQuoted(caFile)} `}${shellQuoted(`${apiUrl}/v1/asr/sessions`)} \\`,
    '  -H "Authorization: Bearer $SVC_ASR_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellQuoted(JSON.stringify({ model, max_audio_seconds: maxAudioSeconds }))}`,
    '# Open websocket_url of the response with websocket_protocols. Then send this message and the audio:',
    `# ${JSON.stringify({ type: 'config', ...config })}`,
  ];
}

function buildNode(facts: CodeFacts): string[] {
  const { apiUrl, caFile, model, maxAudioSeconds, config } = facts;
  return [
    `// ${keyComment(facts)}`,
    ...(caFile === null ? [] : [`// Run it with NODE_EXTRA_CA_CERTS=${shellQuoted(caFile)}.`]),
    '// Install @svc-asr/client first. Its README explains how.',
    "import { createReadStream } from 'node:fs';",
    "import { createClient, createWavConverter } from '@svc-asr/client';",
    '',
    `const client = createClient({ baseUrl: ${quoted(apiUrl)}, apiKey: process.env.SVC_ASR_API_KEY });`,
    `const stream = client.stream({ model: ${quoted(model)}, maxAudioSeconds: ${maxAudioSeconds} });`,
    `await stream.config(${JSON.stringify(config)});`,
    'const converter = createWavConverter();',
    "for await (const bytes of createReadStream('audio.wav')) await stream.send(converter.push(bytes));",
    'await stream.send(converter.end().pcm);',
    '',
    'const last = stream.flush().then(() => stream.close());',
    "for await (const event of stream) if (event.type === 'final') console.log(event.text);",
    'await last;',
  ];
}

function buildPython(facts: CodeFacts): string[] {
  const { apiUrl, caFile, model, config } = facts;
  const options = [
    `model=${quoted(model)}`,
    ...(config.context === undefined ? [] : [`context=(${config.context.join(', ')})`]),
    ...(config.endpointing === undefined ? [] : [`endpointing_ms=${config.endpointing.silence_ms}`]),
  ];
  return [
    `# ${keyComment(facts)}`,
    '# Install svc_asr first: pip install ./clients/python in a clone of the repository.',
    'import asyncio',
    '',
    'from svc_asr import Client, transcribe_file',
    '',
    '',
    'async def main():',
    `    async with Client(${quoted(apiUrl)}${caFile === null ? '' : `, ca_file=${quoted(caFile)}`}) as client:`,
    `        transcript = await transcribe_file(client, "audio.wav", ${options.join(', ')})`,
    '        print(transcript.text)',
    '',
    '',
    'asyncio.run(main())',
  ];
}

function buildBrowser({ model, maxAudioSeconds, config, ...facts }: CodeFacts): string[] {
  return [
    `// Your server answers POST /asr-session with client.createSession({ model: ${quoted(model)}, maxAudioSeconds: ${maxAudioSeconds} }).`,
    `// ${keyComment({ ...facts, model, maxAudioSeconds, config }).replace('SVC_ASR_API_KEY', 'SVC_ASR_API_KEY of your server')}`,
    "import { openStream } from '@svc-asr/client/browser';",
    "import { openMicrophone } from '@svc-asr/client/microphone';",
    '',
    "document.querySelector('#start').onclick = async () => {",
    '  const microphone = await openMicrophone();',
    "  document.querySelector('#stop').onclick = () => microphone.stop();",
    "  const session = await (await fetch('/asr-session', { method: 'POST' })).json();",
    '  const stream = openStream(session);',
    `  stream.config(${JSON.stringify(config)});`,
    '  const sending = microphone.sendTo(stream).then(() => stream.flush()).then(() => stream.close());',
    '  for await (const event of stream) {',
    "    if (event.type === 'delta' || event.type === 'final') {",
    "      document.querySelector('#text').textContent = event.text;",
    '    }',
    '  }',
    '  await sending;',
    '};',
  ];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
