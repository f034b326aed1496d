export const quantity = { type: ['string', 'number'], description: 'A Kubernetes quantity.' } as const;
export const names = { type: 'array', items: { type: 'string', minLength: 1 } } as const;
export const action = (byDefault: string, extra: readonly string[] = []) =>
  ({ type: 'string', enum: ['deny', 'warn', 'info', 'audit', 'off', ...extra], default: byDefault }) as const;

/** An object whose properties are all known; absent ones get their defaults. */
export function section(
  description: string,
  properties: Record<string, object>,
  required: readonly string[] = [],
) {
  return {
    type: 'object',
    description,
    additionalProperties: false,
    required,
    properties,
    default: {},
  } as const;
}

export const curve = section(
  'clamp(min, roundUp(base + perPod x density, step), max); absent ones are the target’s own.',
  {
    base: quantity,
    perPod: quantity,
    step: quantity,
    min: quantity,
    max: quantity,
  },
);

/** Of every target. */
export const target = {
  enabled: { type: 'boolean', default: true },
  curve,
  requests: {
    type: 'string',
    enum: ['followWhenEqual', 'follow', 'keep'],
    default: 'followWhenEqual',
    description: 'What happens to the request when its limit is raised.',
  },
  action: { type: 'string', enum: ['mutate', 'deny', 'warn', 'audit'], default: 'mutate' },
} as const;

/** Of a target that is a workload with containers of its own. */
export const workload = {
  ...target,
  addMissing: { type: 'boolean', default: false, description: 'Add a limit where there is none.' },
  initLimits: {
    type: 'boolean',
    default: false,
    description:
      'Give init containers without a limit one equal to their request, so that the pod can be Guaranteed.',
  },
} as const;

export const port = { type: 'integer', minimum: 0, maximum: 65535 } as const;
export const days = { type: 'number', exclusiveMinimum: 0, maximum: 3650 } as const;
/** Up to 30 s, which is the longest that the API server waits. */
export const milliseconds = (byDefault: number) =>
  ({ type: 'integer', minimum: 1, maximum: 30_000, default: byDefault }) as const;
/** A whole number, from 1 where nothing else is said. */
export const count = (byDefault: number, maximum: number, minimum = 1) =>
  ({ type: 'integer', minimum, maximum, default: byDefault }) as const;
