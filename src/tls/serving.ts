import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { KeyPair } from './authority.ts';
import { type InvalidityCode, type ServingFiles, type Validity, validity } from './validity.ts';

export interface ServingOptions {
  /** The leaf and its intermediates; PEM, as the other files. */
  readonly certificateFile: string;
  readonly privateKeyFile: string;
  /** The authority that clients trust; null where it is not at hand. */
  readonly authorityFile: string | null;
  /** The authority that signs the clients' certificates; null where none are asked for. */
  readonly clientAuthorityFile: string | null;
  /** DNS names and IP addresses that clients will ask for. */
  readonly names: readonly string[];
  /** Polled, because fs.watch misses the symbolic links that a mounted Secret is made of. */
  readonly pollMs: number;
  readonly now: () => Date;
  /** Takes each new context, for `server.setSecureContext`; not called for the first. */
  readonly onContext: (context: SecureContextOptions) => void;
}

export interface ServingState {
  /** Of the certificate in use, as of now. */
  readonly served: Validity;
  /** Why what lies in the files is not in use; null where it is. */
  readonly refused: { readonly code: InvalidityCode; readonly detail: string } | null;
}

export interface Serving {
  /** What is in use now. */
  context(): SecureContextOptions;
  /** The same, without what is asked of clients. */
  pair(): KeyPair;
  state(): ServingState;
  /** Looks at the files at once, without waiting for the next poll. */
  reload(): Promise<void>;
  stop(): void;
}

/** No certificate could be served from the start; `code` says why. */
export class ServingError extends Error {
  readonly code: InvalidityCode;

  constructor(code: InvalidityCode, message: string) {
    super(message);
    this.name = 'ServingError';
    this.code = code;
  }
}

/** What the files held at one time. */
interface Material {
  readonly files: ServingFiles;
  readonly clientAuthorityPem: string | null;
}

/**
 * Serves the certificate of the given files, and follows them as they change. A change that clients would
 * refuse is not taken up while the one in use is still good. A first certificate that clients will refuse is
 * served all the same, and `state` says so: only one that cannot be served at all throws (ServingError).
 */
export async function loadServing(options: ServingOptions): Promise<Serving> {
  const first = await readMaterial(options);
  if (first === null) throw new ServingError('unreadable', 'a certificate or key file cannot be read');
  const firstVerdict = judge(first, options.now());
  if (!firstVerdict.ok && !isServable(firstVerdict.code)) {
    throw new ServingError(firstVerdict.code, firstVerdict.detail);
  }

  let inUse = first;
  let refused: ServingState['refused'] = null;
  let reloading: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const found = await readMaterial(options);
    if (found === null) {
      refused = { code: 'unreadable', detail: 'a certificate or key file cannot be read' };
      return;
    }
    if (isSame(found, inUse)) {
      refused = null;
      return;
    }
    const now = options.now();
    const verdict = judge(found, now);
    const isBetter = verdict.ok || (isServable(verdict.code) && !judge(inUse, now).ok);
    if (!isBetter) {
      refused = { code: verdict.code, detail: verdict.detail };
      return;
    }
    inUse = found;
    refused = null;
    options.onContext(contextOf(found));
  };
  const reload = (): Promise<void> => {
    reloading ??= look().finally(() => {
      reloading = null;
    });
    return reloading;
  };

  const timer = setInterval(reload, options.pollMs);
  timer.unref();
  return {
    context: () => contextOf(inUse),
    pair: () => inUse.files,
    state: () => ({ served: judge(inUse, options.now()), refused }),
    reload,
    stop: () => clearInterval(timer),
  };
}

async function readMaterial(options: ServingOptions): Promise<Material | null> {
  try {
    const [certificatePem, privateKeyPem, authorityPem, clientAuthorityPem] = await Promise.all([
      readFile(options.certificateFile, 'utf8'),
      readFile(options.privateKeyFile, 'utf8'),
      options.authorityFile === null ? null : readFile(options.authorityFile, 'utf8'),
      options.clientAuthorityFile === null ? null : readFile(options.clientAuthorityFile, 'utf8'),
    ]);
    return {
      files: { certificatePem, privateKeyPem, authorityPem, names: options.names },
      clientAuthorityPem,
    };
  } catch {
    return null;
  }
}

function judge(material: Material, now: Date): Validity {
  const verdict = validity({ ...material.files, now });
  if (!verdict.ok && !isServable(verdict.code)) return verdict;
  try {
    createSecureContext(contextOf(material));
  } catch {
    // OpenSSL asks for more than X509Certificate does, such as keys that are long enough.
    return { ok: false, code: 'unreadable', detail: 'TLS cannot be served with this certificate and key' };
  }
  return verdict;
}

/** Whether TLS can be served with it at all, be it that clients refuse it. */
function isServable(code: InvalidityCode): boolean {
  return code !== 'unreadable' && code !== 'key-mismatch';
}

function contextOf({ files, clientAuthorityPem }: Material): SecureContextOptions {
  const pair = { cert: files.certificatePem, key: files.privateKeyPem };
  return clientAuthorityPem === null ? pair : { ...pair, ca: clientAuthorityPem };
}

function isSame(one: Material, other: Material): boolean {
  return (
    one.files.certificatePem === other.files.certificatePem &&
    one.files.privateKeyPem === other.files.privateKeyPem &&
    one.files.authorityPem === other.files.authorityPem &&
    one.clientAuthorityPem === other.clientAuthorityPem
  );
}
