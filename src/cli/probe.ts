import { readFile } from 'node:fs/promises';
import type { ByteSource } from '../bytes/source.ts';
import { loadSettings } from '../config/load.ts';
import { driveReading } from '../evaluate/drive.ts';
import { lookOptionsOf } from '../evaluate/look-options.ts';
import { DEFECTS, type ImageFacts } from '../image/image.ts';
import { readImage } from '../image/read.ts';
import { formatForPeople } from '../quantity/format.ts';
import { openFile } from '../source/file.ts';
import { resolveAll } from '../source/resolve.ts';
import { SourceError, type SourceFailureCode, type SourceRequest } from '../source/source.ts';
import { openSource } from '../source/sources.ts';
import { type Command, choice, type Flags, type Terminal, UsageError, wholeNumber } from './command.ts';
import { version } from './version.ts';

const HELP = `plimsoll probe: what one disk image is, read from its headers

Usage: plimsoll probe URL|FILE [-o text|json] [--map] [--timeout SECONDS]

  URL                http(s)://, docker://, gs://, or the path of a file
  -o, --output WORD  text (default) or json
      --map          also tell the bytes that hold data, from the format's own tables (more requests)
      --timeout N    seconds for all of it (default: 30)
      --ca FILE      trust the certificates of this PEM file as well
      --insecure     do not verify TLS certificates
      --architecture NAME  docker:// only: of the platform (default: amd64)
      --credentials FILE   one line, ACCESSKEYID:SECRETKEY as CDI's secretRef has them
      --config FILE  the webhook's configuration, for its addresses and proxy; without it any address is read
`;

/** Walking an image's tables takes many small reads. */
const MAP_REQUESTS = 2000;
const MAP_BYTES = 256 * 1024 * 1024;

const KINDS: readonly (readonly [RegExp, SourceRequest['kind']])[] = [
  [/^https?:\/\//, 'http'],
  [/^docker:\/\//, 'registry'],
  [/^gs:\/\//, 'gcs'],
];

/** A file has no server that could be blamed. */
const FILE_FAILURES: Partial<Record<SourceFailureCode, string>> = {
  'not-found': 'there is no such file',
  unreachable: 'the file cannot be read',
};

const kindOf = (target: string) => KINDS.find(([pattern]) => pattern.test(target))?.[1];
const isUrl = (target: string) => /^[a-z0-9+.-]+:\/\//i.test(target);

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file}: cannot be read (${error.code})`);
  });
}

/** What reaching the image takes besides its URL. Secrets come out of files: arguments can be read by every process. */
async function requestOptions(flags: Flags): Promise<Partial<SourceRequest>> {
  const [ca, credentials, architecture] = ['ca', 'credentials', 'architecture'].map(flags.text);
  const [accessKeyId, secretKey] = credentials ? (await readText(credentials)).trim().split(':', 2) : [];
  if (credentials && (!accessKeyId || !secretKey))
    throw new UsageError(`${credentials}: has to be one line, ACCESSKEYID:SECRETKEY`);
  return {
    ...(ca ? { ca: await readText(ca) } : {}),
    ...(accessKeyId && secretKey ? { credentials: { accessKeyId, secretKey } } : {}),
    ...(architecture ? { architecture } : {}),
    insecureSkipVerify: flags.on('insecure'),
  };
}

interface Probed {
  readonly facts: ImageFacts;
  readonly source: Pick<ByteSource, 'size' | 'cost'>;
}

async function open(target: string, flags: Flags, signal: AbortSignal): Promise<ByteSource> {
  const config = flags.text('config');
  const map = flags.on('map');
  const kind = kindOf(target);
  if (kind === undefined) {
    if (isUrl(target)) throw new SourceError('unsupported', target.slice(0, target.indexOf(':')));
    return openFile(target);
  }
  const settings = await loadSettings(config);
  const outside = { open: openSource, resolve: resolveAll, now: Date.now, version: version() };
  const { context, registryMaxBytes, proxyFor } = lookOptionsOf(settings, outside);
  const budget = kind === 'registry' ? { ...context.budget, maxBytes: registryMaxBytes } : context.budget;
  const proxy = proxyFor(target);
  return openSource(
    { kind, url: target, ...(await requestOptions(flags)) },
    {
      ...context,
      signal,
      // Whoever runs the command may dial what they like; the webhook is the one that strangers can drive.
      addresses: config === undefined ? { mode: 'any', allow: [] } : context.addresses,
      budget: map ? { ...budget, maxRequests: MAP_REQUESTS, maxBytes: MAP_BYTES } : budget,
      ...(proxy === undefined ? {} : { proxy }),
    },
  );
}

const number = (size: bigint | null) => (size === null ? null : Number(size));

function printJson({ facts, source }: Probed): string {
  return `${JSON.stringify({
    format: facts.format,
    wrappers: facts.wrappers,
    virtualSize: number(facts.virtualSize),
    storedSize: number(source.size),
    allocatedSize: number(facts.allocatedSize),
    findings: facts.defects.map(({ code, detail }) => ({
      rule: 'unusable-image',
      code,
      message: `${DEFECTS[code]}: ${detail}`,
    })),
    bytesRead: source.cost.bytesRead,
    requests: source.cost.requests,
  })}\n`;
}

function readingOf({ bytesRead, requests }: ByteSource['cost']): string {
  if (requests === 0) return `${bytesRead} bytes`;
  return `${bytesRead} bytes in ${requests} ${requests === 1 ? 'request' : 'requests'}`;
}

function printText({ facts, source }: Probed): string {
  const size = (bytes: bigint | null, least: bigint | null = null) => {
    if (bytes !== null) return `${formatForPeople(bytes)} (${bytes} bytes)`;
    return least === null ? 'unknown' : `unknown, at least ${formatForPeople(least)}`;
  };
  const rows = [
    ['format', [facts.format, ...facts.wrappers.toReversed()].join(' in ')],
    ['virtual size', size(facts.virtualSize, facts.virtualSizeAtLeast)],
    ['stored size', size(source.size)],
    ...(facts.allocatedSize === null ? [] : [['allocated', size(facts.allocatedSize)]]),
    ['read', readingOf(source.cost)],
    ...facts.defects.map(({ code, detail }) => ['unusable', `it ${DEFECTS[code]}: ${detail}`]),
  ];
  return `${rows.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`).join('\n')}\n`;
}

export const probe: Command = {
  help: HELP,
  options: {
    output: { type: 'string', short: 'o' },
    map: { type: 'boolean' },
    timeout: { type: 'string' },
    config: { type: 'string' },
    ca: { type: 'string' },
    insecure: { type: 'boolean' },
    architecture: { type: 'string' },
    credentials: { type: 'string' },
  },
  positionals: 1,
  run: async (flags, terminal: Terminal) => {
    const [target] = flags.positionals;
    if (target === undefined)
      throw new UsageError("probe needs a URL or a file; see 'plimsoll probe --help'");
    const output = choice('output', flags.text('output') ?? 'text', ['text', 'json']);
    const seconds = wholeNumber('timeout', flags.text('timeout'), 1, 3600) ?? 30;
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(seconds * 1000)]);
    try {
      const source = await open(target, flags, signal);
      try {
        const facts = await driveReading(
          readImage({
            storedSize: source.size,
            map: flags.on('map'),
            peel: !target.startsWith('docker://'),
          }),
          source,
        );
        terminal.stdout.write((output === 'json' ? printJson : printText)({ facts, source }));
        return 0;
      } finally {
        source.close();
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { code } = error;
      const message = (isUrl(target) ? undefined : FILE_FAILURES[code]) ?? error.message;
      if (output === 'json') terminal.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
      else terminal.stderr.write(`plimsoll: ${target}: ${message} (${code})\n`);
      return 1;
    }
  },
};
