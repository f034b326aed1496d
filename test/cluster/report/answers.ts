import { identify, type JsonObject, objectAt } from '../../../src/object/object.ts';
import type { Kubectl } from '../harness/kubectl.ts';

/** The object as somebody would send it who had not stored it yet. */
export function asSent(stored: JsonObject, name?: string): JsonObject {
  const {
    uid: _u,
    resourceVersion: _r,
    creationTimestamp: _c,
    generation: _g,
    ...metadata
  } = objectAt(stored, 'metadata') ?? {};
  const { status: _s, ...object } = stored;
  return { ...object, metadata: { ...metadata, ...(name === undefined ? {} : { name }) } };
}

export interface Answer {
  /** The webhook's reason; null where it let the object pass. */
  readonly denial: string | null;
  readonly warnings: readonly string[];
}

/**
 * What the webhook answers to the object, of which the API server is not to store anything. The name is taken, so that it
 * cannot be created either; but that is found out last.
 */
export async function answerTo(kubectl: Kubectl, object: object): Promise<Answer> {
  const sent = await kubectl.run(['create', '--dry-run=server', '-f', '-'], JSON.stringify(object));
  const { kind, namespace, name } = identify(object);
  const lines = sent.stderr.trim().split('\n');
  const own = `Warning: ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}: `;
  const [, denial = null] = /admission webhook "[a-z.]+" denied the request: (.*)$/m.exec(sent.stderr) ?? [];
  if (denial === null && !sent.stderr.includes('(AlreadyExists)'))
    throw new Error(`${kind} ${name}: no answer of the webhook: ${sent.stderr}`);
  const warnings = lines.filter((line) => line.startsWith(own)).map((line) => line.slice('Warning: '.length));
  return { denial, warnings };
}
