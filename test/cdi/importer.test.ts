import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { removeAtEnd } from '../cluster/harness/leftovers.ts';
import { type FileServer, serveFiles } from './file-server.ts';
import { type ImportResult, runImporter } from './importer.ts';
import { inParallel } from './in-parallel.ts';
import { judge, type Look, lookAtFile, rulesOf } from './judgement.ts';
import { MiB, type Sample } from './making.ts';
import { randomImage } from './random-image.ts';
import { ONLY_THE_IMPORTER_REFUSES, SOUND_IMAGES } from './sound-images.ts';
import { NOT_SEEN, UNUSABLE_IMAGES, type UnusableImage } from './unusable-images.ts';

/** An importer waits more than it works. */
const AT_ONCE = 4;
const SECTOR = 512n;
const ROOMY = BigInt(256 * MiB);
const REQUESTS = 40;
const TOO_SMALL = /larger than the reported available storage/;
/** What a request exceeds the virtual size by: less than nothing, less than a filesystem takes, more than that. */
const SECTORS_MORE = fc.oneof(
  fc.integer({ min: -64, max: -1 }),
  fc.integer({ min: 0, max: 128 }),
  fc.integer({ min: 4096, max: 8192 }),
);

t.setTimeout(1_200_000);

const folder = await mkdtemp(join(tmpdir(), 'plimsoll-importer-'));
removeAtEnd(folder);
t.teardown(() => rm(folder, { recursive: true, force: true }));
let folders = 0;

interface Served {
  readonly look: Look;
  /** CDI's importer with a PVC of that many bytes. */
  readonly importInto: (bytes: bigint) => Promise<ImportResult>;
}

/** Makes the sample, serves it, and hands over what we see in it and what the importer makes of it. */
async function withSample<R>(sample: Sample, use: (served: Served) => Promise<R>): Promise<R> {
  const own = join(folder, String(folders++));
  await mkdir(own);
  const file = await sample.make(own);
  const server: FileServer = await serveFiles(own);
  try {
    return await use({
      look: await lookAtFile(own, file),
      importInto: (bytes) => runImporter({ source: 'http', url: server.urlOf(file), pvcSize: String(bytes) }),
    });
  } finally {
    server.stop();
    await rm(own, { recursive: true });
  }
}

t.test('what CDI imports: at its virtual size, and not at a sector less', async (t) => {
  const results = await inParallel(SOUND_IMAGES, AT_ONCE, (sample) =>
    withSample(sample, async ({ look, importInto }) => {
      const size = look.facts.virtualSize ?? sample.diskSize!;
      return { look, size, less: await importInto(size - SECTOR), exact: await importInto(size) };
    }),
  );
  for (const [index, { look, size, less, exact }] of results.entries()) {
    const { name, diskSize } = SOUND_IMAGES[index]!;
    const { virtualSize, virtualSizeAtLeast } = look.facts;
    t.equal(virtualSize === null, diskSize !== undefined, `${name}: whether the file tells its size`);
    const unknown = virtualSize === null ? ['unknown-image'] : [];
    const isSeen = (virtualSize ?? virtualSizeAtLeast) === size;

    t.match(less, { imported: false, message: TOO_SMALL }, `${name}: a sector less`);
    t.same(
      rulesOf(judge(look, size - SECTOR)),
      [...(isSeen ? ['too-small'] : []), ...unknown],
      `${name}: a sector less, to us`,
    );
    t.match(exact, { imported: true }, `${name}: ${size} bytes`);
    t.same(
      rulesOf(judge(look, size)),
      [...(isSeen ? ['tight'] : []), ...unknown],
      `${name}: ${size} bytes, to us`,
    );
  }
});

/** The importer's verdict on each, with a PVC that is large enough for all of them. */
function inRoomyPvc(samples: readonly Sample[]) {
  return inParallel(samples, AT_ONCE, (sample) =>
    withSample(sample, async ({ look, importInto }) => ({ look, result: await importInto(ROOMY) })),
  );
}

t.test('what CDI refuses or misreads at any size', async (t) => {
  const results = await inRoomyPvc(UNUSABLE_IMAGES);
  for (const [index, { look, result }] of results.entries()) {
    const { name, importer, defect } = UNUSABLE_IMAGES[index] as UnusableImage;
    t.equal(
      result.imported,
      importer === 'misreads',
      `${name}: the importer ${importer} it (${result.message.trim()})`,
    );
    t.notMatch(result.message, TOO_SMALL, `${name}: not for its size`);
    t.same(
      look.facts.defects.map(({ code }) => code),
      [defect],
      `${name}: its defect`,
    );
    t.same(rulesOf(judge(look, ROOMY)), ['unusable-image'], `${name}: to us`);
  }
});

t.test('known differences (docs/cdi.md)', async (t) => {
  const refused = ONLY_THE_IMPORTER_REFUSES.map(([sample]) => sample);
  for (const [index, { look, result }] of (await inRoomyPvc(refused)).entries()) {
    const [{ name }, reason] = ONLY_THE_IMPORTER_REFUSES[index]!;
    t.match(result, { imported: false, message: reason }, `${name}: this importer fails on it`);
    t.same(rulesOf(judge(look, ROOMY)), [], `${name}: sound to us`);
  }
  for (const [index, { look, result }] of (await inRoomyPvc(NOT_SEEN)).entries()) {
    const { name, importer } = NOT_SEEN[index] as UnusableImage;
    t.equal(result.imported, importer === 'misreads', `${name}: the importer ${importer} it`);
    t.notOk(rulesOf(judge(look, ROOMY)).includes('unusable-image'), `${name}: nothing of it is seen`);
  }
});

t.test(
  'random images and requests: what is too small fails, what passes without a warning imports',
  async (t) => {
    // Drawn beforehand, so that they can run side by side; one that fails is small enough to be read as it is.
    const cases = fc.sample(fc.record({ image: randomImage(), sectors: SECTORS_MORE }), {
      numRuns: REQUESTS,
      seed: 20_260_801,
    });
    const results = await inParallel(cases, AT_ONCE, ({ image, sectors }) =>
      withSample(image, async ({ look, importInto }) => {
        const size = (look.facts.virtualSize ?? 0n) + BigInt(sectors) * SECTOR;
        const findings = rulesOf(judge(look, size));
        return {
          name: `${image.name} of ${look.facts.virtualSize} in ${size}`,
          findings,
          result: await importInto(size),
        };
      }),
    );
    const seen = { 'too small': 0, 'without a warning': 0, tight: 0 };
    for (const { name, findings, result } of results) {
      if (findings.includes('too-small')) {
        seen['too small']++;
        t.match(result, { imported: false, message: TOO_SMALL }, `too small: ${name}`);
      } else {
        seen[findings.length === 0 ? 'without a warning' : 'tight']++;
        t.match(result, { imported: true }, `${findings.join() || 'no warning'}: ${name}`);
      }
    }
    for (const [kind, count] of Object.entries(seen)) t.ok(count >= 5, `${kind}: ${count} of ${REQUESTS}`);
  },
);
