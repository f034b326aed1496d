import { MEMORY_FLOOR } from './memory-floor-schema.ts';
import { action, count, days, milliseconds, names, port, quantity, section } from './schema-parts.ts';

/**
 * JSON Schema (draft-07) of the configuration, with every default in it: the chart's values.schema.json and the
 * printed defaults are made from it. Quantities are checked again, as quantities, by settings.ts.
 */
export const CONFIGURATION_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Plimsoll configuration',
  type: 'object',
  additionalProperties: false,
  required: ['apiVersion', 'kind'],
  properties: {
    apiVersion: { const: 'plimsoll.dev/v1alpha1' },
    kind: { const: 'Configuration' },
    listen: section('Where the webhook listens.', {
      host: { type: 'string', default: '::', description: 'Address to bind; :: is every one.' },
      port: { ...port, default: 8443 },
      healthPort: { ...port, default: 8080, description: 'Health and metrics, over plain HTTP.' },
    }),
    cluster: section('What is read of the cluster that Plimsoll runs in.', {
      enabled: {
        type: 'boolean',
        default: false,
        description:
          'Read storage and density from the cluster; without it the defaults and the minimum hold.',
      },
      namespace: { type: 'string', minLength: 1, default: 'plimsoll', description: 'Our own.' },
      pollSeconds: { type: 'integer', minimum: 5, maximum: 3600, default: 60 },
      multusNamespaces: {
        ...names,
        default: ['kube-system'],
        description: 'Where the configuration of the Multus daemon (multus-daemon-config) may be.',
      },
    }),
    tls: section('Certificates of the webhook.', {
      mode: {
        type: 'string',
        enum: ['files', 'selfManaged'],
        default: 'files',
        description:
          'files: certFile and keyFile, followed as they change. selfManaged: made, renewed and published by Plimsoll itself; needs cluster.enabled.',
      },
      service: {
        type: 'string',
        minLength: 1,
        default: 'plimsoll',
        description: 'selfManaged: our Service.',
      },
      secret: {
        type: 'string',
        minLength: 1,
        default: 'plimsoll-tls',
        description: 'selfManaged: where they are kept.',
      },
      authorityDays: {
        ...days,
        default: 365,
        description: 'selfManaged: life of the CA; renewed at two thirds.',
      },
      leafDays: {
        ...days,
        default: 90,
        description: 'selfManaged: life of the serving certificate; renewed at two thirds.',
      },
      pollSeconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 60,
        default: 5,
        description: 'selfManaged: how often the Secret and both webhook configurations are looked at.',
      },
      webhookConfiguration: {
        type: 'string',
        minLength: 1,
        default: 'plimsoll',
        description: 'selfManaged: name of our validating and of our mutating webhook configuration.',
      },
      certFile: { type: 'string', default: 'certs/tls.crt' },
      keyFile: { type: 'string', default: 'certs/tls.key' },
      clientCAFile: { type: 'string', description: 'If set, callers have to show a certificate of this CA.' },
      clientNames: {
        ...names,
        default: [],
        description: 'Common names that may call; empty: any of the CA.',
      },
    }),
    volumeSize: section('Rule volume-size.', {
      preset: {
        type: 'string',
        enum: ['default', 'lenient'],
        default: 'default',
        description: 'lenient: allowance 20Gi.',
      },
      maxTimesVirtual: { type: 'number', minimum: 1, maximum: 1000, default: 2 },
      maxTimesData: { type: 'number', minimum: 1, maximum: 100_000, default: 10 },
      allowance: { ...quantity, description: 'A size that is never too much; 10Gi, or the preset’s.' },
      overheadFormula: {
        type: 'string',
        enum: ['multiply', 'divide', 'unknown'],
        default: 'unknown',
        description:
          'How this CDI adds filesystem overhead: multiply from v1.63, divide before. unknown: deny only what fails under both.',
      },
      virtualMachines: {
        type: 'boolean',
        default: true,
        description: 'Judge dataVolumeTemplates of VirtualMachines.',
      },
      importClaims: {
        type: 'boolean',
        default: false,
        description: 'Judge PVCs that name a VolumeImportSource.',
      },
      actions: section('What to do about each finding.', {
        'too-small': action('deny'),
        tight: action('warn'),
        oversized: action('deny', ['byCloneStrategy']),
        'unusable-image': action('warn'),
        'unknown-image': action('warn'),
        'host-assisted': action('info'),
      }),
    }),
    probe: section('How images are looked at.', {
      addresses: section('Which addresses may be dialled.', {
        mode: { type: 'string', enum: ['off', 'public', 'allowlist', 'any'], default: 'public' },
        allow: {
          ...names,
          default: [],
          description: 'host, host:port, .suffix or CIDR; opens private ranges too, never metadata services.',
        },
      }),
      timeoutMilliseconds: milliseconds(5000),
      connectTimeoutMilliseconds: milliseconds(2000),
      idleTimeoutMilliseconds: milliseconds(2000),
      maxRequests: count(8, 100),
      maxBytes: { ...quantity, default: '1Mi' },
      registryMaxBytes: {
        ...quantity,
        default: '4Mi',
        description: 'The same for a container disk, whose layers have to be unpacked.',
      },
      maxRedirects: count(5, 10, 0),
      concurrency: count(16, 1000),
      concurrencyPerHost: count(4, 1000),
      queue: count(64, 10_000, 0),
      cache: section('What is remembered of images.', {
        entries: count(1000, 100_000),
        ttlSeconds: count(300, 86_400),
        failureTtlSeconds: count(30, 3600),
      }),
      proxy: {
        type: 'string',
        pattern: '^https?://',
        description:
          'HTTP proxy for reaching images; without it HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment hold.',
      },
    }),
    memoryFloor: MEMORY_FLOOR,
    exemptions: {
      type: 'array',
      default: [],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['reason'],
        anyOf: [{ required: ['namespaces'] }, { required: ['names'] }, { required: ['labels'] }],
        properties: {
          namespaces: { ...names, minItems: 1 },
          names: { ...names, minItems: 1 },
          labels: { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
          rules: { ...names, minItems: 1, description: 'Rule codes or policy names; absent: every rule.' },
          reason: { type: 'string', minLength: 1, maxLength: 200 },
          expires: { type: 'string', description: 'A date, or date and time (RFC 3339).' },
        },
      },
    },
    exemptionAnnotation: section(
      'Whether objects may exempt themselves (plimsoll.dev/exempt: "rule: reason").',
      {
        namespaces: { ...names, default: [], description: 'Where; patterns with *.' },
      },
    ),
    log: section('Logging.', {
      level: { type: 'string', enum: ['debug', 'info', 'warn', 'error', 'silent'], default: 'info' },
    }),
  },
} as const;
