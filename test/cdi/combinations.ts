import type { VolumeApi, VolumeMode } from '../../src/volume/volume.ts';
import { MINIMUM_CLASSES, OVERHEAD_CLASSES, PROVISIONER_CLASSES, SET_CLASSES } from './classes.ts';

/** One way to ask for a volume. */
export interface Combination {
  readonly name: string;
  readonly api: VolumeApi;
  readonly size: string;
  /** Undefined: not named. */
  readonly className: string | undefined;
  readonly mode: VolumeMode | undefined;
  readonly accessModes: readonly string[];
}

/** Both unit families, odd bytes, and sizes of which CDI's doubles make a byte more than exact arithmetic would. */
const SIZES = [
  '1Mi',
  '1048577',
  '1e9',
  '104857599',
  '465Mi',
  '475Mi',
  '1.5Gi',
  '10G',
  '10Gi',
  '11381663335',
  '25Gi',
  '45Gi',
  '100Gi',
  '2Ti',
];
const MODES: readonly (VolumeMode | undefined)[] = [undefined, 'Filesystem', 'Block'];
const ACCESS: readonly (readonly string[])[] = [[], ['ReadWriteOnce'], ['ReadWriteMany'], ['ReadOnlyMany']];
const RWO = ['ReadWriteOnce'];
/** No StorageClass has this name. */
const UNKNOWN = 'unknown';

function combination(
  api: VolumeApi,
  size: string,
  className: string | undefined,
  mode: VolumeMode | undefined,
  accessModes: readonly string[],
): Combination {
  const words = [
    `spec.${api}`,
    size,
    className === undefined ? 'no class' : className === '' ? 'the class ""' : `class ${className}`,
    mode ?? 'no mode',
    accessModes.join(' and ') || 'no access modes',
  ];
  return { name: words.join(', '), api, size, className, mode, accessModes };
}

function names(classes: readonly { readonly name: string }[]): readonly string[] {
  return classes.map(({ name }) => name);
}

/** Every size under every overhead: the class's own, and the global one. */
const sizes = (): readonly Combination[] =>
  ['filesystem', ...names(OVERHEAD_CLASSES)].flatMap((className) =>
    SIZES.map((size) => combination('storage', size, className, undefined, [])),
  );

/** Every choice of mode and access modes against every list of property sets. */
const modes = (): readonly Combination[] =>
  names(SET_CLASSES).flatMap((className) =>
    MODES.flatMap((mode) => ACCESS.map((access) => combination('storage', '5Gi', className, mode, access))),
  );

const minimums = (): readonly Combination[] =>
  names(MINIMUM_CLASSES).flatMap((className) =>
    ['1Gi', '1400M', '4051Mi', '4Gi', '5Gi'].map((size) =>
      combination('storage', size, className, undefined, []),
    ),
  );

const provisioners = (): readonly Combination[] =>
  names(PROVISIONER_CLASSES).flatMap((className) => [
    combination('storage', '1Gi', className, undefined, []),
    combination('storage', '10Gi', className, 'Filesystem', RWO),
  ]);

const withoutSuchClass = (): readonly Combination[] =>
  ['', UNKNOWN].flatMap((className) =>
    MODES.flatMap((mode) =>
      [[], RWO].map((access) => combination('storage', '3Gi', className, mode, access)),
    ),
  );

const claims = (): readonly Combination[] =>
  ['filesystem', 'block', 'filesystem-of-4gi', 'overhead-0.9', '', UNKNOWN].flatMap((className) =>
    MODES.flatMap((mode) => ['1048577', '2G'].map((size) => combination('pvc', size, className, mode, RWO))),
  );

const classless = (): readonly Combination[] => [
  ...MODES.flatMap((mode) => ACCESS.map((access) => combination('storage', '25Gi', undefined, mode, access))),
  ...MODES.map((mode) => combination('pvc', '25Gi', undefined, mode, RWO)),
];

/** What a cluster may say about its storage, one after the other, and what is asked of it then. */
export interface Phase {
  readonly name: string;
  /** The global overhead in CDI's configuration; undefined: CDI's own. */
  readonly overhead: string | undefined;
  readonly defaults: readonly string[];
  readonly virtDefaults: readonly string[];
  readonly combinations: readonly Combination[];
}

export const PHASES: readonly Phase[] = [
  {
    name: 'no default class, CDI’s own overhead',
    overhead: undefined,
    defaults: [],
    virtDefaults: [],
    combinations: [
      ...sizes(),
      ...modes(),
      ...minimums(),
      ...provisioners(),
      ...withoutSuchClass(),
      ...claims(),
      ...classless(),
    ],
  },
  {
    name: 'a default class, a global overhead of 0.1',
    overhead: '0.1',
    defaults: ['filesystem'],
    virtDefaults: [],
    combinations: [
      ...classless(),
      ...SIZES.map((size) => combination('storage', size, 'filesystem', undefined, [])),
      ...withoutSuchClass(),
    ],
  },
  {
    name: 'a default class with its own overhead, a virt-default class',
    overhead: '0.1',
    defaults: ['overhead-0.07'],
    virtDefaults: ['block-first'],
    combinations: [...classless(), ...withoutSuchClass()],
  },
  {
    name: 'two default classes',
    overhead: '0.1',
    defaults: ['overhead-0.07', 'overhead-0.9'],
    virtDefaults: [],
    combinations: classless(),
  },
  {
    name: 'only a virt-default class',
    overhead: '0.1',
    defaults: [],
    virtDefaults: ['filesystem-of-4gi'],
    combinations: classless(),
  },
];
