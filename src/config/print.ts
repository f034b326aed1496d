import { DEFAULT_CONFIGURATION } from './parse.ts';
import { CONFIGURATION_SCHEMA } from './schema.ts';

interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** Worked examples for lists that are empty by default; they are printed as comments. */
const EXAMPLES: Readonly<Record<string, string>> = {
  exemptions: `Clusters that ship 30Gi boot sources need these two:
- labels: { cdi.kubevirt.io/dataImportCron: "*" }
  rules: [oversized]
  reason: boot sources of the distribution
- namespaces: [openshift-virtualization-os-images]
  rules: [oversized]
  reason: boot sources of the distribution
  expires: 2027-12-31`,
  additional: `- name: fluent-bit
  match: { container: { image: fluent/fluent-bit } }
  curve: { base: 250Mi, perPod: 2Mi, step: 10Mi, min: 300Mi, max: 1Gi }`,
};

/** YAML of every setting with its default and what it means. It is itself a valid configuration. */
export function printDefaults(): string {
  const { apiVersion, kind } = DEFAULT_CONFIGURATION;
  const lines = [`apiVersion: ${apiVersion}`, `kind: ${kind}`];
  print(CONFIGURATION_SCHEMA as unknown as SchemaNode, DEFAULT_CONFIGURATION, '', lines);
  return `${lines.join('\n')}\n`;
}

function print(schema: SchemaNode, value: object, indent: string, lines: string[]): void {
  for (const [name, node] of Object.entries(schema.properties ?? {})) {
    if (name === 'apiVersion' || name === 'kind') continue;
    const choices = node.enum ? `One of ${node.enum.join(', ')}.` : undefined;
    for (const comment of [node.description, choices]) if (comment) lines.push(`${indent}# ${comment}`);
    const set = (value as Record<string, unknown>)[name];
    if (node.properties && set !== undefined) {
      const isEmpty = Object.keys(set as object).length === 0;
      if (isEmpty) lines.push(`${indent}# Fields: ${Object.keys(node.properties).join(', ')}.`);
      lines.push(`${indent}${name}:${isEmpty ? ' {}' : ''}`);
      if (!isEmpty) print(node, set as object, `${indent}  `, lines);
      continue;
    }
    lines.push(set === undefined ? `${indent}# ${name}:` : `${indent}${name}: ${JSON.stringify(set)}`);
    for (const line of EXAMPLES[name]?.split('\n') ?? []) lines.push(`${indent}  # ${line}`);
  }
}
