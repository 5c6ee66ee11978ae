// `payouts completion`: what lets a shell complete the tool's commands and options, made from the commands themselves, so
// that none is missing and none is too many.
import type { Command } from 'commander';
import { UsageError } from './usage-error.ts';

/** Each command as it is typed, and what may follow it: commands below it and its options. */
function wordsAfter(program: Command): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, typed: string): void => {
    const below = command.commands.map((it) => it.name());
    const options = command.options.flatMap(({ long }) => (long ? [long] : []));
    words.set(typed, [...below, ...options, '--help']);
    for (const it of command.commands) visit(it, `${typed} ${it.name()}`.trim());
  };
  visit(program, '');
  return words;
}

/** The script for a shell. Throws UsageError where there is none for it. */
export function completionFor(program: Command, shell: string): string {
  const words = [...wordsAfter(program)];
  switch (shell) {
    case 'bash':
      return bash(words);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;
    case 'fish':
      return words.map(fishLine).join('');
    default:
      throw new UsageError(`there is no completion for "${shell}"; write bash, zsh or fish`);
  }
}

type Words = readonly [typed: string, after: readonly string[]];

/** The longest command that was typed so far decides; where nothing of it fits, files are completed. */
function bash(words: readonly Words[]): string {
  const cases = words.map(([typed, after]) => `    '${typed}') words='${after.join(' ')}' ;;`).join('\n');
  return `_payouts() {
  local typed='' words='' candidate='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    candidate="\${typed:+$typed }$word"
    case "$candidate" in
${words.flatMap(([typed]) => (typed === '' ? [] : [`      '${typed}') typed="$candidate" ;;`])).join('\n')}
    esac
  done
  case "$typed" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _payouts payouts
`;
}

function fishLine([typed, after]: Words): string {
  const when = typed === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${typed.split(' ').at(-1)}`;
  const commands = after.filter((it) => !it.startsWith('--')).join(' ');
  const options = after.filter((it) => it.startsWith('--'));
  return [
    ...(commands === '' ? [] : [`complete -c payouts -n '${when}' -a '${commands}'\n`]),
    ...options.map((it) => `complete -c payouts -n '${when}' -l ${it.slice(2)}\n`),
  ].join('');
}
