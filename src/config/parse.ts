import { Ajv, type ErrorObject } from 'ajv';
import { parseDocument } from 'yaml';
import type { Configuration } from './configuration.ts';
import { CONFIGURATION_SCHEMA } from './schema.ts';

/** A configuration that cannot be used; `problems` holds all that is wrong with it, each with its path. */
export class ConfigurationError extends Error {
  readonly code = 'bad-configuration';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** More aliases than any configuration has use for. */
const MAX_ALIASES = 100;

const validate = new Ajv({
  allErrors: true,
  useDefaults: true,
  allowUnionTypes: true,
  strict: false,
  verbose: true,
}).compile(CONFIGURATION_SCHEMA);

function describe({ instancePath, keyword, params, message, schema }: ErrorObject): string {
  const path = instancePath === '' ? 'configuration' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties') return `${path}: unknown field ${params.additionalProperty}`;
  if (keyword === 'enum') return `${path}: must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'const') return `${path}: must be ${params.allowedValue}`;
  if (keyword === 'anyOf') {
    const fields = (schema as readonly { readonly required: readonly string[] }[]).flatMap(
      (one) => one.required,
    );
    return `${path}: needs at least one of ${fields.join(', ')}`;
  }
  return `${path}: ${message}`;
}

/** The configuration in YAML or JSON text, checked and with every default filled in. Throws ConfigurationError. */
export function parseConfiguration(text: string): Configuration {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0)
    throw new ConfigurationError(
      document.errors.map((error) => error.message.split('\n')[0]!.replace(/:$/, '')),
    );
  return checkConfiguration(contentOf(document));
}

/** Aliases that lead nowhere, or unfold to too much, show only here. */
function contentOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw new ConfigurationError([(error as Error).message]);
  }
}

/** The same for a value that was parsed before; the value itself is not changed. */
export function checkConfiguration(value: unknown): Configuration {
  const copy: unknown = structuredClone(value);
  if (!validate(copy)) {
    // What each branch of an anyOf misses is told once, by the anyOf itself.
    const errors = (validate.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'));
    throw new ConfigurationError(errors.map(describe));
  }
  return copy as Configuration;
}

export const DEFAULT_CONFIGURATION: Configuration = checkConfiguration({
  apiVersion: 'plimsoll.dev/v1alpha1',
  kind: 'Configuration',
});
