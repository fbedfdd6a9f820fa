import type { Command, Option } from './command.ts';
import { optionsOf } from './parse.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns a script that completes the command line in a shell. It needs no other program when it runs. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'fish') return fishScript(commands);
  const script = bashScript(commands);
  if (shell === 'bash') return script;
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

/** Returns every start of a command name: `admin`, `admin keys`, `admin keys create`. */
function prefixesOf(commands: readonly Command[]): string[] {
  const names = commands.flatMap(({ words }) => words.map((_word, at) => words.slice(0, at + 1).join(' ')));
  return [...new Set(names)];
}

/** Returns the words that can follow each incomplete command name. */
function groupsOf(commands: readonly Command[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { words } of commands) {
    for (const [at, word] of words.entries()) {
      const group = words.slice(0, at).join(' ');
      groups.set(group, (groups.get(group) ?? new Set()).add(word));
    }
  }
  return groups;
}

const nameOf = ({ words }: Command): string => words.join(' ');
const takesFiles = ({ args }: Command): boolean => args.some((name) => name.startsWith('FILE'));
const flagsOf = (name: string, { short }: Option): string[] => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
];

/** Builds the script for bash. zsh runs the same script, so the script uses no variable name that is special in zsh. */
function bashScript(commands: readonly Command[]): string {
  const values = commands.flatMap((command) =>
    Object.entries(optionsOf(command)).flatMap(([name, option]) =>
      option.value === undefined
        ? []
        : flagsOf(name, option).map(
            (flag) => `    "${nameOf(command)} ${flag}") choices="${(option.choices ?? []).join(' ')}" ;;`,
          ),
    ),
  );
  const groups = [...groupsOf(commands)].map(
    ([name, words]) => `        "${name}") choices="${[...words].join(' ')} --help" ;;`,
  );
  const options = commands.map((command) => {
    const names = Object.entries(optionsOf(command)).flatMap(([name, option]) => flagsOf(name, option));
    const choices = [...(command.choices ?? []), ...names].join(' ');
    // Without choices, the shell completes the names of files.
    const line = takesFiles(command) ? `[[ $current == -* ]] && choices="${choices}"` : `choices="${choices}"`;
    return `        "${nameOf(command)}") ${line} ;;`;
  });
  return `_svc_asr() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" name="" choices="" at=1 next
  while [ "$at" -lt "$COMP_CWORD" ]; do
    next="\${name:+$name }\${COMP_WORDS[at]}"
    case "$next" in
      ${prefixesOf(commands)
        .map((prefix) => `"${prefix}"`)
        .join(' | ')}) name="$next" ;;
      *) break ;;
    esac
    at=$((at + 1))
  done
  case "$name $previous" in
${values.join('\n')}
    *)
      case "$name" in
${[...groups, ...options].join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _svc_asr svc-asr
`;
}

function fishScript(commands: readonly Command[]): string {
  const at = (name: string) => `complete -c svc-asr -n '__svc_asr_at "${name}"'`;
  const groups = [...groupsOf(commands)].flatMap(([group, words]) =>
    [...words].map((word) => {
      const summary = commands.find((command) => nameOf(command) === [group, word].filter(Boolean).join(' '))?.summary;
      return `${at(group)} -a ${word}${summary === undefined ? '' : ` -d ${quoted(summary)}`}`;
    }),
  );
  const options = commands.flatMap((command) => [
    ...(takesFiles(command) ? [`${at(nameOf(command))} -F`] : []),
    ...(command.choices === undefined ? [] : [`${at(nameOf(command))} -a ${quoted(command.choices.join(' '))}`]),
    ...Object.entries(optionsOf(command)).map(([name, option]) => {
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      return `${at(nameOf(command))} -l ${name}${short}${fishValue(option)} -d ${quoted(option.help)}`;
    }),
  ]);
  return `function __svc_asr_at
  set -l name
  for word in (commandline -opc)[2..-1]
    contains -- "$name $word" ${prefixesOf(commands)
      .map((prefix) => `" ${prefix}"`)
      .join(' ')}
    or break
    set name "$name $word"
  end
  test "$name" = (string replace -r '^(?=.)' ' ' -- $argv[1])
end
complete -c svc-asr -f
${[...groups, ...options].join('\n')}
`;
}

function fishValue({ value, choices }: Option): string {
  if (value === undefined) return '';
  return choices === undefined ? ' -r -F' : ` -x -a ${quoted(choices.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
