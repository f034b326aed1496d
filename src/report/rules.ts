import type { PolicyName } from '../policy/finding.ts';
import type { ReportResult } from './model.ts';

/** What a rule's code stands for, for formats and documents that explain it. */
export interface RuleHelp {
  readonly code: string;
  readonly policy: PolicyName;
  /** One sentence without a full stop. */
  readonly title: string;
  /** What it means and what to do, in whole sentences. */
  readonly help: string;
  /** What is done about a finding of it where the configuration does not say otherwise; null: it is no finding. */
  readonly usual: 'deny' | 'mutate' | 'warn' | 'info' | null;
}

/** Every code that Plimsoll itself gives; a floor's target is its own code. */
export const RULES: readonly RuleHelp[] = [
  {
    code: 'volume-size',
    policy: 'volume-size',
    title: 'The volume was held against its image',
    help:
      'A pass says that the requested size fits the image. A skip says why the volume is not judged: it is a clone, ' +
      'an upload, a blank disk, or exempt.',
    usual: null,
  },
  {
    code: 'too-small',
    policy: 'volume-size',
    title: 'The image does not fit the requested volume',
    help:
      'CDI compares the virtual size of the disk, not the size of the file, with the space on the volume, and would ' +
      'fail with "DataVolume too small to contain image" after the download. Request at least the accepted size.',
    usual: 'deny',
  },
  {
    code: 'tight',
    policy: 'volume-size',
    title: 'The image fits the requested volume with no room to spare',
    help:
      'The filesystem on the volume takes a share for itself, so an import of this size may fail, depending on the ' +
      'storage class. Request the suggested size to be certain.',
    usual: 'warn',
  },
  {
    code: 'oversized',
    policy: 'volume-size',
    title: 'A base volume is far larger than its image',
    help:
      'Every clone of a base volume is at least as large as the base. Where the storage cannot clone, CDI copies the ' +
      'whole volume through helper pods, which takes time in proportion to the size and memory on the nodes. Request ' +
      'the suggested size; a clone may still be larger than its base.',
    usual: 'deny',
  },
  {
    code: 'unusable-image',
    policy: 'volume-size',
    title: 'CDI would refuse or misread the image',
    help:
      'The image needs another file, is encrypted, or has a format or compression that CDI does not read. Convert it ' +
      'to a standalone qcow2 or raw image, plain or compressed with gzip or xz.',
    usual: 'warn',
  },
  {
    code: 'unknown-image',
    policy: 'volume-size',
    title: 'The image could not be looked at',
    help:
      'The property "reason" says why: the host may not be reached from here, is not permitted, needs credentials, or ' +
      'took too long. The volume was not judged. Permit the host in the configuration, or run the report from where ' +
      'the image can be reached.',
    usual: 'warn',
  },
  {
    code: 'host-assisted',
    policy: 'volume-size',
    title: 'Clones of this base will be copied through pods',
    help:
      'The storage class cannot clone or snapshot, or its StorageProfile says so. CDI then streams each clone through ' +
      'two pods. Keep base volumes small, and give those pods the memory that the CDI floor asks for.',
    usual: 'info',
  },
  {
    code: 'multus',
    policy: 'memory-floor',
    title: 'The memory limit of the Multus daemon is below its floor',
    help:
      'Every CNI call of a node goes through one daemon, whose memory grows with the pods that start at once. Once it ' +
      'is killed for memory, the node starts no pods. Raise the limit to the floor, or set connectionLimit in the ' +
      'daemon’s configuration.',
    usual: 'mutate',
  },
  {
    code: 'cdi',
    policy: 'memory-floor',
    title: 'The memory limit of CDI’s pods is below its floor',
    help:
      'CDI’s importer and clone pods are killed for memory under their default limit of 600M on busy nodes, and a ' +
      'clone then restarts for ever. Raise spec.config.podResourceRequirements.limits.memory of the CDI object.',
    usual: 'mutate',
  },
  {
    code: 'hyperconverged',
    policy: 'memory-floor',
    title: 'The memory limit for CDI’s pods in the HyperConverged object is below its floor',
    help:
      'Where the HyperConverged operator owns the CDI object, the limit has to be raised in the HyperConverged object: ' +
      'the operator overwrites what is written to CDI itself.',
    usual: 'mutate',
  },
];

const BY_CODE = new Map(RULES.map((rule) => [rule.code, rule]));

/** The row of a result's rule. Targets that a user configured have none, and are described in general. */
export function ruleOf({ rule, policy }: Pick<ReportResult, 'rule' | 'policy'>): RuleHelp {
  return BY_CODE.get(rule) ?? generalRule(rule, policy);
}

function generalRule(code: string, policy: PolicyName): RuleHelp {
  return policy === 'memory-floor'
    ? {
        code,
        policy,
        title: `The memory limit of ${code} is below its floor`,
        help:
          `The target ${code} is a row of Plimsoll’s configuration: its memory limit may not be lower than a floor ` +
          'that grows with the pods on a node. Raise the limit to the floor, or change the curve in that row.',
        usual: 'mutate',
      }
    : {
        code,
        policy,
        title: `The object was held against the rule ${code}`,
        help: 'The message says what was found.',
        usual: 'warn',
      };
}
