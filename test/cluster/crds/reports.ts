/** The two report APIs, by the fields that their projects publish; JSON, for kubectl. Neither is ours to ship. */
export const REPORT_CRDS = {
  policyreports: list([
    crd('wgpolicyk8s.io', 'v1alpha2', { kind: 'PolicyReport', plural: 'policyreports', short: 'polr' }, true),
    crd(
      'wgpolicyk8s.io',
      'v1alpha2',
      { kind: 'ClusterPolicyReport', plural: 'clusterpolicyreports', short: 'cpolr' },
      false,
    ),
  ]),
  openreports: list([
    crd('openreports.io', 'v1alpha1', { kind: 'Report', plural: 'reports', short: 'reps' }, true),
    crd(
      'openreports.io',
      'v1alpha1',
      { kind: 'ClusterReport', plural: 'clusterreports', short: 'creps' },
      false,
    ),
  ]),
} as const;

function list(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly short: string;
}

function crd(group: string, version: string, { kind, plural, short }: Names, isNamespaced: boolean): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), shortNames: [short] },
      scope: isNamespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: columns(),
          schema: { openAPIV3Schema: reportSchema(group === 'openreports.io') },
        },
      ],
    },
  };
}

function columns(): object[] {
  const counts = ['Pass', 'Fail', 'Warn', 'Error', 'Skip'].map((name) => ({
    name,
    type: 'integer',
    jsonPath: `.summary.${name.toLowerCase()}`,
  }));
  return [
    { name: 'Kind', type: 'string', jsonPath: '.scope.kind', priority: 1 },
    { name: 'Name', type: 'string', jsonPath: '.scope.name', priority: 1 },
    ...counts,
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
}

/** What the schemas are made of: without a word on them, fields may be absent. */
function object(properties: Readonly<Record<string, object>>, required: readonly string[] = []): object {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function texts(...names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
}

function oneOf(...values: readonly string[]): object {
  return { type: 'string', enum: values };
}

function reportSchema(isOpenReports: boolean): object {
  const results = ['pass', 'fail', 'warn', 'error', 'skip'];
  const reference = object(
    texts('apiVersion', 'kind', 'namespace', 'name', 'uid', 'resourceVersion', 'fieldPath'),
  );
  const strings = { type: 'array', items: { type: 'string' } };
  const selector = object({
    matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
    matchExpressions: {
      type: 'array',
      items: object({ ...texts('key', 'operator'), values: strings }, ['key', 'operator']),
    },
  });
  const limits = object({
    maxResults: { type: 'integer' },
    statusFilter: { type: 'array', items: oneOf(...results) },
  });
  const result = object(
    {
      ...texts('policy', 'rule', 'source', 'category', 'message'),
      severity: oneOf('critical', 'high', 'low', 'medium', 'info'),
      result: oneOf(...results),
      scored: { type: 'boolean' },
      timestamp: object(
        { seconds: { type: 'integer', format: 'int64' }, nanos: { type: 'integer', format: 'int32' } },
        ['nanos', 'seconds'],
      ),
      resources: { type: 'array', items: reference },
      resourceSelector: selector,
      properties: { type: 'object', additionalProperties: { type: 'string' } },
    },
    ['policy'],
  );
  return object({
    ...texts('apiVersion', 'kind', ...(isOpenReports ? ['source'] : [])),
    metadata: { type: 'object' },
    ...(isOpenReports ? { configuration: object({ limits }) } : {}),
    scope: reference,
    scopeSelector: selector,
    summary: object(Object.fromEntries(results.map((name) => [name, { type: 'integer' }]))),
    results: { type: 'array', items: result },
  });
}
