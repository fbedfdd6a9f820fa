import { spawnSync } from 'node:child_process';
import { completionScript } from './completion.ts';
import { optionsOf } from './parse.ts';
import { COMMANDS } from './run.ts';

/** Returns the completions that bash offers for the last word of a line. */
function complete(...words: string[]): string[] {
  const script = `${completionScript('bash', COMMANDS)}
    COMP_WORDS=(svc-asr "$@"); COMP_CWORD=$#; _svc_asr; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

test.each([
  [['tr'], ['transcribe']],
  [['admin', 'k'], ['keys']],
  [
    ['admin', 'keys', ''],
    ['create', 'list', 'revoke', '--help'],
  ],
  [
    ['transcribe', '--la'],
    ['--language', '--latency'],
  ],
  [
    ['transcribe', 'a.wav', '--latency', ''],
    ['low', 'balanced', 'accurate'],
  ],
  [['transcribe', '-f', 's'], ['srt']],
  [['completion', 'z'], ['zsh']],
])('the completion for bash completes the last word of %j', (words, expected) => {
  expect(complete(...words)).toEqual(expected);
});

test.each([[['transcribe', 'rec']], [['transcribe', '--ca', '']], [['mic', '--model', '']]])(
  'the completion for bash completes the last word of %j with names of files',
  (words) => {
    expect(complete(...words)).toEqual([]);
  },
);

test('the completion for zsh is the script for bash, preceded by code that enables bash completions in zsh', () => {
  const [bash, zsh] = [completionScript('bash', COMMANDS), completionScript('zsh', COMMANDS)];
  expect(zsh.endsWith(bash)).toBe(true);
  expect(zsh).toContain('bashcompinit');
  // These names are special in zsh.
  expect(bash).not.toMatch(/\b(path|words|options|status)=/);
});

test('the completion for fish lists every command and option', () => {
  const lines = completionScript('fish', COMMANDS).split('\n');
  for (const command of COMMANDS) {
    const name = command.words.join(' ');
    const group = command.words.slice(0, -1).join(' ');
    const word = command.words.at(-1) ?? '';
    expect(lines.some((line) => line.includes(`"${group}"' -a ${word}`))).toBe(true);
    for (const option of Object.keys(optionsOf(command))) {
      expect(lines.some((line) => line.includes(`"${name}"' -l ${option} `))).toBe(true);
    }
  }
});
