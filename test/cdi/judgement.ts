import { join } from 'node:path';
import type { ByteSource } from '../../src/bytes/source.ts';
import { driveReading } from '../../src/evaluate/drive.ts';
import type { ImageFacts } from '../../src/image/image.ts';
import { readImage } from '../../src/image/read.ts';
import type { Finding } from '../../src/policy/finding.ts';
import type { ImageLook } from '../../src/policy/image-look.ts';
import { judgeVolume } from '../../src/policy/judge-volume.ts';
import { GiB } from '../../src/quantity/units.ts';
import { openFile } from '../../src/source/file.ts';
import { storageFromObjects } from '../../src/volume/facts.ts';
import { readVolumes } from '../../src/volume/read.ts';
import type { Volume } from '../../src/volume/volume.ts';

/** The configuration's defaults. */
const LIMITS = { maxThousandthsOfVirtual: 2000n, maxThousandthsOfData: 10_000n, allowance: 10n * GiB };

/** A cluster with CDI's own defaults. */
const STORAGE = storageFromObjects(
  [
    {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'CDIConfig',
      metadata: { name: 'config' },
      status: { filesystemOverhead: { global: '0.06' } },
    },
  ],
  'manifests',
  'multiply',
);

export type Look = Extract<ImageLook, { kind: 'image' }>;

/** What we see in the image of that file. */
export async function lookAtFile(folder: string, file: string): Promise<Look> {
  return lookAt(await openFile(join(folder, file)));
}

/** What we see in the image of an open source, which is closed then. */
export async function lookAt(source: ByteSource, peel = true): Promise<Look> {
  try {
    const facts: ImageFacts = await driveReading(
      readImage({ storedSize: source.size, map: false, peel }),
      source,
    );
    return { kind: 'image', facts, storedSize: source.size };
  } finally {
    source.close();
  }
}

/** What we say of a DataVolume that imports that image into a Filesystem PVC (`spec.pvc`) of so many bytes. */
export function judge(look: Look, bytes: bigint): readonly Finding[] {
  const object = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'base', namespace: 'demo' },
    spec: {
      source: { http: { url: 'http://images.example/base' } },
      pvc: {
        accessModes: ['ReadWriteOnce'],
        volumeMode: 'Filesystem',
        resources: { requests: { storage: String(bytes) } },
      },
    },
  };
  return judgeVolume(onlyVolume(object), look, LIMITS, 'DataVolume demo/base');
}

function onlyVolume(object: Record<string, unknown>): Volume {
  const [outcome] = readVolumes(object, null, 'CREATE', STORAGE) ?? [];
  if (outcome?.kind !== 'volume') throw new Error(`not judged: ${JSON.stringify(outcome)}`);
  return outcome.volume;
}

export function rulesOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ rule }) => rule);
}
