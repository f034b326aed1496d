/** One request as the API server would send it, and what it shows. */
export interface DemoCase {
  readonly title: string;
  readonly path: '/validate' | '/mutate';
  readonly object: object;
}

function dataVolume(name: string, url: string, size: string, mode?: 'Filesystem'): object {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace: 'demo' },
    spec: {
      source: { http: { url } },
      storage: { ...(mode ? { volumeMode: mode } : {}), resources: { requests: { storage: size } } },
    },
  };
}

/** The thick-plugin DaemonSet of Multus in the shape of its upstream manifest, as far as memory is concerned. */
const multus = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-multus-ds', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { name: 'multus' } },
    template: {
      metadata: { labels: { name: 'multus' } },
      spec: {
        containers: [
          {
            name: 'kube-multus',
            image: 'ghcr.io/k8snetworkplumbingwg/multus-cni:snapshot-thick',
            command: ['/usr/src/multus-cni/bin/multus-daemon'],
            env: [{ name: 'MULTUS_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            resources: { requests: { cpu: '100m', memory: '50Mi' }, limits: { cpu: '100m', memory: '50Mi' } },
          },
        ],
      },
    },
  },
};

const cdi = {
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'CDI',
  metadata: { name: 'cdi' },
  spec: { imagePullPolicy: 'IfNotPresent' },
};

/** The demo's story; `origin` is where the sample images are served. */
export function demoCases(origin: string): DemoCase[] {
  const fedora = `${origin}/fedora.qcow2`;
  return [
    {
      title: 'A base of 30Gi for an image of 10Gi that holds 1.1 GB',
      path: '/validate',
      object: dataVolume('fedora', fedora, '30Gi'),
    },
    {
      title: 'The same, shrunk blindly to 5Gi',
      path: '/validate',
      object: dataVolume('fedora', fedora, '5Gi'),
    },
    {
      title: 'The same with 10G, where 10Gi was meant',
      path: '/validate',
      object: dataVolume('fedora', fedora, '10G', 'Filesystem'),
    },
    { title: 'The same with 10Gi', path: '/validate', object: dataVolume('fedora', fedora, '10Gi') },
    {
      title: 'A tiny image in 5Gi: generous, and fine',
      path: '/validate',
      object: dataVolume('cirros', `${origin}/cirros.qcow2`, '5Gi'),
    },
    {
      title: 'An image that needs another one',
      path: '/validate',
      object: dataVolume('overlay', `${origin}/overlay.qcow2`, '10Gi'),
    },
    {
      title: 'An image that is not there',
      path: '/validate',
      object: dataVolume('missing', `${origin}/missing.qcow2`, '10Gi'),
    },
    { title: 'Multus with the upstream limit, on nodes of 90 pods', path: '/mutate', object: multus },
    { title: 'A CDI without limits, which means 600M', path: '/mutate', object: cdi },
  ];
}
