/** Paths of the few objects that are asked for by name. Without a name: of the list. */
export function configMapPath(namespace: string, name?: string): string {
  return path('/api/v1', namespace, 'configmaps', name);
}

export function secretPath(namespace: string, name?: string): string {
  return path('/api/v1', namespace, 'secrets', name);
}

export function leasePath(namespace: string, name?: string): string {
  return path('/apis/coordination.k8s.io/v1', namespace, 'leases', name);
}

function path(group: string, namespace: string, resource: string, name: string | undefined): string {
  const list = `${group}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
  return name === undefined ? list : `${list}/${encodeURIComponent(name)}`;
}
