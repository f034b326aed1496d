import { count, names, section, target, workload } from './schema-parts.ts';

/** JSON Schema of `memoryFloor`. */
export const MEMORY_FLOOR = section('Rule memory-floor.', {
  density: section('Pods that need CNI on a node.', {
    statistic: {
      type: 'string',
      enum: ['highWaterMark', 'allocatable', 'fixed'],
      default: 'highWaterMark',
    },
    pods: { type: 'integer', minimum: 1, maximum: 5000, description: 'Required by statistic fixed.' },
    minimum: count(30, 5000),
  }),
  stickyPercent: {
    ...count(25, 900, 0),
    description:
      'A stored limit of up to this many per cent over the floor is kept when a lower one is written.',
  },
  reconcile: {
    type: 'string',
    enum: ['off', 'patch'],
    default: 'off',
    description:
      'What becomes of stored limits that density has outgrown. off: a metric and the report say so. patch: the leader writes such an object again, which rolls its pods out, unless a tool or an operator owns it; needs cluster.enabled.',
  },
  targets: section('The built-in targets.', {
    multus: section('The thick daemon of Multus.', {
      ...workload,
      delegate: {
        type: 'string',
        enum: ['smallPlugins', 'cilium', 'ciliumBefore116'],
        default: 'smallPlugins',
        description: 'Which curve to start from: the size of the delegate plugin decides what a pod costs.',
      },
      burst: {
        type: 'string',
        enum: ['density', 'connectionLimit'],
        default: 'density',
        description:
          'What is in flight after a restart: every pod of the node, or as many as the daemon lets in.',
      },
    }),
    cdi: section('The CDI custom resource.', target),
    hyperconverged: section('The HyperConverged custom resource.', target),
  }),
  additional: {
    type: 'array',
    default: [],
    description: 'Other daemons that grow with density.',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'match', 'curve'],
      properties: {
        ...workload,
        name: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$' },
        match: {
          type: 'object',
          additionalProperties: false,
          required: ['container'],
          properties: {
            namespaces: { ...names, minItems: 1 },
            kinds: {
              type: 'array',
              minItems: 1,
              items: { type: 'string', enum: ['DaemonSet', 'Deployment', 'StatefulSet'] },
              default: ['DaemonSet'],
            },
            container: {
              type: 'object',
              additionalProperties: false,
              minProperties: 1,
              description: 'The containers for which all that is given holds.',
              properties: {
                command: {
                  type: 'string',
                  minLength: 1,
                  description: 'A program of its command or arguments.',
                },
                image: {
                  type: 'string',
                  minLength: 1,
                  description: 'The end of its image’s repository.',
                },
                name: { type: 'string', minLength: 1 },
              },
            },
          },
        },
      },
    },
  },
});
