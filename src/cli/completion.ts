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

/** A case for each flag that takes one of a few words. */
function valueCases({ name, command: { options, values } }: NamedCommand): string[] {
  return Object.entries(values ?? {}).map(([flag, words]) => {
    const { short } = options[flag] ?? {};
    const spellings = [`${name} --${flag}`, ...(short === undefined ? [] : [`${name} -${short}`])];
    return `    ${spellings.map((spelling) => `'${spelling}'`).join('|')}) candidates='${words.join(' ')}' ;;`;
  });
}

/** zsh has a meaning of its own for the name `words`. */
function bash(commands: readonly NamedCommand[]): string {
  const names = `${commands.map(({ name }) => name).join(' ')} --help --version`;
  const cases = commands.map((command) => `    ${command.name}) candidates='${candidates(command)}' ;;`);
  return `_plimsoll() {
  local candidates current=\${COMP_WORDS[COMP_CWORD]}
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    *) candidates='${names}' ;;
  esac
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${commands.flatMap(valueCases).join('\n')}
  esac
  if ((COMP_CWORD == 1)); then candidates='${names}'; fi
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
  # What is no flag or word may be a file.
  if ((\${#COMPREPLY[@]} == 0)); then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _plimsoll plimsoll kubectl-plimsoll
`;
}

const ZSH_SETUP = `(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
`;

const SCRIPTS: Readonly<Record<string, (commands: readonly NamedCommand[]) => string>> = {
  bash,
  // zsh runs bash's completions as they are.
  zsh: (commands) => `${ZSH_SETUP}${bash(commands)}`,
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
