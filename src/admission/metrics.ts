import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Every metric of the webhook. Labels are of closed sets: never an object's name or URL. */
export interface Metrics {
  readonly registry: Registry;
  readonly reviews: Counter<'webhook' | 'verdict'>;
  readonly seconds: Histogram<'webhook'>;
  readonly findings: Counter<'policy' | 'rule' | 'action'>;
  readonly contendedWrites: Counter<'target'>;
  readonly storedBelowFloor: Gauge<'target'>;
  readonly reconciles: Counter<'outcome'>;
  readonly looks: Counter<'outcome'>;
  readonly lookBytes: Counter;
  readonly malformed: Counter;
  readonly internalErrors: Counter<'webhook'>;
  readonly configurationValid: Gauge;
  readonly densityPods: Gauge<'origin'>;
  readonly certificateExpiry: Gauge<'certificate'>;
  readonly certificateAccepted: Gauge;
  readonly clusterReads: Counter<'part' | 'outcome'>;
  readonly clusterAge: Gauge<'part'>;
  readonly leader: Gauge;
  /** Called before the metrics are given out, to set what is computed. */
  readonly onCollect: (collect: () => void) => void;
  /** Prometheus' text format. */
  readonly text: () => Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const collectors: (() => void)[] = [];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    onCollect: (collect) => collectors.push(collect),
    text: () => {
      for (const collect of collectors) collect();
      return registry.metrics();
    },
    clusterReads: new Counter({
      name: 'plimsoll_cluster_reads_total',
      help: 'Readings of the cluster, by part (storage, density, connectionLimit) and outcome (ok, failed).',
      labelNames: ['part', 'outcome'],
      registers,
    }),
    clusterAge: new Gauge({
      name: 'plimsoll_cluster_snapshot_age_seconds',
      help: 'Time since each part of the cluster was last read.',
      labelNames: ['part'],
      registers,
    }),
    leader: new Gauge({
      name: 'plimsoll_leader',
      help: '1 in the replica that leads: it writes the density and the certificates.',
      registers,
    }),
    reviews: new Counter({
      name: 'plimsoll_admission_reviews_total',
      help: 'Reviews answered, by webhook and verdict (allowed, denied, mutated, error).',
      labelNames: ['webhook', 'verdict'],
      registers,
    }),
    seconds: new Histogram({
      name: 'plimsoll_admission_review_duration_seconds',
      help: 'Time from a review’s last byte to its answer.',
      labelNames: ['webhook'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    findings: new Counter({
      name: 'plimsoll_findings_total',
      help: 'Findings in reviews, by policy, rule and what was done (deny, warn, info, audit, exempt).',
      labelNames: ['policy', 'rule', 'action'],
      registers,
    }),
    contendedWrites: new Counter({
      name: 'plimsoll_contended_writes_total',
      help: 'Writes that were raised to the limit that was stored already, by target: somebody writes a lower one again and again.',
      labelNames: ['target'],
      registers,
    }),
    storedBelowFloor: new Gauge({
      name: 'plimsoll_stored_limits_below_floor',
      help: 'Memory limits that are stored below their floor, by target; told by the leader alone.',
      labelNames: ['target'],
      registers,
    }),
    reconciles: new Counter({
      name: 'plimsoll_reconciles_total',
      help: 'Objects that memoryFloor.reconcile tried to write again, by outcome (written, owned, unexpected, settled, failed).',
      labelNames: ['outcome'],
      registers,
    }),
    looks: new Counter({
      name: 'plimsoll_image_looks_total',
      help: 'Images that were looked at over the network, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    lookBytes: new Counter({
      name: 'plimsoll_image_look_bytes_total',
      help: 'Bytes read of images.',
      registers,
    }),
    malformed: new Counter({
      name: 'plimsoll_malformed_requests_total',
      help: 'Requests that were no AdmissionReview.',
      registers,
    }),
    internalErrors: new Counter({
      name: 'plimsoll_internal_errors_total',
      help: 'Reviews that ended in an error of the webhook itself.',
      labelNames: ['webhook'],
      registers,
    }),
    configurationValid: new Gauge({
      name: 'plimsoll_configuration_valid',
      help: '1 where the configuration file as it is now is in force, 0 where an older one had to be kept.',
      registers,
    }),
    densityPods: new Gauge({
      name: 'plimsoll_density_pods',
      help: 'Planning density: pods on a node that the memory floors are made for.',
      labelNames: ['origin'],
      registers,
    }),
    certificateExpiry: new Gauge({
      name: 'plimsoll_certificate_expiry_timestamp_seconds',
      help: 'When a certificate ends, in seconds since the epoch.',
      labelNames: ['certificate'],
      registers,
    }),
    certificateAccepted: new Gauge({
      name: 'plimsoll_certificate_accepted',
      help: '1 where callers accept the serving certificate, 0 where it has expired or a caBundle does not vouch for it.',
      registers,
    }),
  };
}
