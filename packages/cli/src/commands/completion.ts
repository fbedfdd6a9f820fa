import type { Command } from '../command.ts';
import { completionScript, SHELLS } from '../completion.ts';
import { UsageError } from '../exit.ts';

/** Creates the command that prints completion scripts for all commands. */
export function createCompletionCommand(commands: () => readonly Command[]): Command {
  return {
    words: ['completion'],
    args: ['SHELL'],
    choices: SHELLS,
    summary: `Print a script that completes commands and options: ${SHELLS.join(', ')}.`,
    api: 'none',
    examples: [
      'source <(svc-asr completion bash)',
      'source <(svc-asr completion zsh)',
      'svc-asr completion fish | source',
    ],
    options: {},
    run: ({ argument, stdout }) => {
      const shell = SHELLS.find((name) => name === argument('SHELL'));
      if (shell === undefined) throw new UsageError(`SHELL must be one of ${SHELLS.join(', ')}`);
      stdout.write(completionScript(shell, commands()));
      return Promise.resolve();
    },
  };
}
