import { readFile } from 'node:fs/promises';
import { ConfigurationError, parseConfiguration } from '../config/parse.ts';
import { printDefaults } from '../config/print.ts';
import { CONFIGURATION_SCHEMA } from '../config/schema.ts';
import { settingsOf } from '../config/settings.ts';
import { type Command, UsageError } from './command.ts';

const HELP = `plimsoll config: the configuration

Usage:
  plimsoll config print-defaults    every setting with its default, as YAML to start from
  plimsoll config validate FILE     tells everything that is wrong with a file; exit 1 if anything is
  plimsoll config schema            JSON Schema, for editors and pipelines
`;

async function validate(file: string): Promise<readonly string[]> {
  try {
    settingsOf(parseConfiguration(await readFile(file, 'utf8')));
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw new UsageError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

export const config: Command = {
  help: HELP,
  options: {},
  positionals: 2,
  words: ['print-defaults', 'validate', 'schema'],
  run: async ({ positionals: [action, file] }, { stdout, stderr }) => {
    if (action === 'print-defaults') stdout.write(printDefaults());
    else if (action === 'schema') stdout.write(`${JSON.stringify(CONFIGURATION_SCHEMA, null, 2)}\n`);
    else if (action === 'validate' && file !== undefined) {
      const problems = await validate(file);
      for (const problem of problems) stderr.write(`${file}: ${problem}\n`);
      if (problems.length > 0) return 1;
      stdout.write(`${file}: valid\n`);
    } else
      throw new UsageError(
        "config needs one of print-defaults, validate FILE, schema; see 'plimsoll config --help'",
      );
    return 0;
  },
};
