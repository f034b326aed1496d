import { type Command, UsageError } from './command.ts';

const HELP = `plimsoll completion: a completion script for a shell

Usage:
  source <(plimsoll completion bash)
  source <(plimsoll completion zsh)
`;

export interface NamedCommand {
  readonly name: string;
  readonly command: Command;
}

/** What can stand after a command: its flags, and its words where they are a closed set. */
function candidates({ command: { options, words } }: NamedCommand): string {
  return [...(words ?? []), ...Object.keys(options).map((flag) => `--${flag}`), '--help'].join(' ');
}

function bash(commands: readonly NamedCommand[]): string {
  const cases = commands.map((command) => `    ${command.name}) words='${candidates(command)}' ;;`);
  return `_plimsoll() {
  local words current=\${COMP_WORDS[COMP_CWORD]}
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    *) words='${commands.map(({ name }) => name).join(' ')} --help --version' ;;
  esac
  if ((COMP_CWORD == 1)); then words='${commands.map(({ name }) => name).join(' ')} --help --version'; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # What is no flag or word may be a file.
  if ((\${#COMPREPLY[@]} == 0)); then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _plimsoll plimsoll kubectl-plimsoll
`;
}

const SCRIPTS: Readonly<Record<string, (commands: readonly NamedCommand[]) => string>> = {
  bash,
  // zsh runs bash's completions as they are.
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
};

/** The command that prints completions of these commands, itself included. */
export function completionOf(commands: () => Promise<readonly NamedCommand[]>): Command {
  return {
    help: HELP,
    options: {},
    positionals: 1,
    words: Object.keys(SCRIPTS),
    run: async ({ positionals: [shell = ''] }, { stdout }) => {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (!script) throw new UsageError(`completion needs one of ${Object.keys(SCRIPTS).join(', ')}`);
      stdout.write(script(await commands()));
      return 0;
    },
  };
}
