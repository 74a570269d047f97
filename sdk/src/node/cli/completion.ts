import { type Command } from './command.ts';
import { EXIT, usage } from './exit-codes.ts';
import { PRACTICE_TYPES } from './practice-messages.ts';

/** Generated from the commands themselves, so that none is ever missing. */
export const completion = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  takes: 'bash',
  summary: 'Print a shell completion script',
  about: ['For this shell: source <(svc completion bash). For every shell: save it in your shell’s completion folder.'],
  options: {},
  words: 1,
  async run({ words: [shell = ''], terminal }) {
    if (shell !== 'bash') throw usage('completion is available for bash only');
    script(commands()).forEach(terminal.out);
    return EXIT.ok;
  },
});

function script(commands: readonly Command[]): readonly string[] {
  const first = [...new Set([...commands.map(({ name }) => name.split(' ')[0]), 'help'])];
  const second = commands.flatMap(({ name }) => (name.startsWith('payments ') ? [name.split(' ')[1]] : []));
  const options = commands.map(({ name, options: known }) => {
    const flags = Object.keys(known).map((option) => `--${option}`);
    return `    "${name}") words="${flags.join(' ')}" ;;`;
  });
  return [
    '_svc() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" words="" command="${COMP_WORDS[1]}"',
    '  if [ "$command" = payments ] && [ "$COMP_CWORD" -gt 2 ]; then command="payments ${COMP_WORDS[2]}"; fi',
    '  case "$command" in',
    ...options,
    '  esac',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words="${first.join(' ')}"`,
    `  elif [ "$COMP_CWORD" -eq 2 ] && [ "$command" = payments ]; then words="${second.join(' ')}"`,
    `  elif [ "$COMP_CWORD" -eq 2 ] && [ "$command" = trigger ]; then words="${PRACTICE_TYPES.join(' ')}"`,
    '  elif [ "$COMP_CWORD" -eq 2 ] && [ "$command" = completion ]; then words="bash"',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _svc svc',
  ];
}
