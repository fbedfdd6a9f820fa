import { browserServer } from './browser-server.ts';
import { shellQuoted } from '../shell-quoted.ts';

/** Values that the examples contain. */
export interface Target {
  /** URL of the public API. */
  readonly apiUrl: string;
  /** CA file that clients must trust. Null if they trust the certificate of the API without it. */
  readonly caFile: string | null;
  readonly model: string;
}

export type Language = 'curl' | 'node' | 'python' | 'browser';

/** An example: a command and, if the command runs a program file, this file. */
export interface Snippet {
  readonly file?: { readonly name: string; readonly text: string };
  readonly command: string;
}

/** Command that reads the API key without showing it in the terminal. Works in bash and zsh. */
export const SET_KEY = `printf 'API key: '; read -rs SVC_ASR_API_KEY; export SVC_ASR_API_KEY; echo`;

/** Returns an example that users can paste and run without changes. */
export function snippetOf(language: Language, target: Target): Snippet {
  switch (language) {
    case 'curl':
      return { command: curl(target) };
    case 'node':
      return {
        file: { name: 'stream.mjs', text: node(target) },
        command: `${nodeCa(target)}node stream.mjs speech.wav`,
      };
    case 'python':
      return {
        file: { name: 'transcribe.py', text: python(target) },
        command: 'python3 transcribe.py speech.wav',
      };
    case 'browser':
      return {
        file: { name: 'server.mjs', text: browserServer(target) },
        command: `${nodeCa(target)}node server.mjs`,
      };
  }
}

function curl({ apiUrl, caFile, model }: Target): string {
  const ca = caFile === null ? '' : ` --cacert ${shellQuoted(caFile)}`;
  return `curl${ca} ${apiUrl}/v1/audio/transcriptions \\
  -H "Authorization: Bearer $SVC_ASR_API_KEY" \\
  -F model=${model} \\
  -F file=@speech.wav`;
}

function nodeCa({ caFile }: Target): string {
  return caFile === null ? '' : `NODE_EXTRA_CA_CERTS=${shellQuoted(caFile)} `;
}

function node({ apiUrl, model }: Target): string {
  return `import { readFileSync } from 'node:fs';

const audio = readFileSync(process.argv[2]).subarray(44); // WAV: the samples follow a header of 44 bytes
const response = await fetch('${apiUrl}/v1/asr/sessions', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.SVC_ASR_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ model: '${model}', max_audio_seconds: Math.min(300, Math.ceil(audio.length / 32_000)) }),
});
const session = await response.json();
if (!response.ok) throw new Error(session.error.message);

const socket = new WebSocket(session.websocket_url, session.websocket_protocols);
socket.onmessage = ({ data }) => {
  const event = JSON.parse(data);
  if (event.type === 'ready') {
    for (let at = 0; at < audio.length; at += 32_000) socket.send(audio.subarray(at, at + 32_000));
    socket.send(JSON.stringify({ type: 'flush' }));
  }
  if (event.type === 'delta') console.log(event.text); // the whole text so far
  if (event.type === 'error') console.error(event.message);
  if (event.type === 'final') {
    console.log(\`Final: \${event.text}\`);
    socket.close(1000);
  }
};
socket.onclose = ({ code, reason }) => console.log(\`Closed with \${code} \${reason}\`);
`;
}

function python({ apiUrl, caFile, model }: Target): string {
  return `import json
import os
import ssl
import sys
import urllib.error
import urllib.request
import uuid

boundary = uuid.uuid4().hex
with open(sys.argv[1], "rb") as file:
    audio = file.read()
head = (
    f'--{boundary}\\r\\nContent-Disposition: form-data; name="model"\\r\\n\\r\\n${model}\\r\\n'
    f'--{boundary}\\r\\nContent-Disposition: form-data; name="file"; filename="speech.wav"\\r\\n\\r\\n'
)
request = urllib.request.Request(
    "${apiUrl}/v1/audio/transcriptions",
    head.encode() + audio + f"\\r\\n--{boundary}--\\r\\n".encode(),
    {
        "Authorization": "Bearer " + os.environ["SVC_ASR_API_KEY"],
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    },
)
try:
    context = ssl.create_default_context(${caFile === null ? '' : `cafile=${JSON.stringify(caFile)}`})
    with urllib.request.urlopen(request, context=context) as response:
        print(json.load(response)["text"])
except urllib.error.HTTPError as error:
    print(json.load(error)["error"]["message"])
`;
}
