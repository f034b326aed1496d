import type { Cluster } from '../harness/cluster.ts';

/** Every object of the cluster, of every kind, as `kind namespace/name`. */
export async function everything({ kubectl }: Cluster): Promise<string[]> {
  const kinds = await kubectl.must(['api-resources', '--verbs=list', '-o', 'name']);
  // Events come and go by themselves, and a componentstatus is no stored object.
  const listed = kinds.split('\n').filter((kind) => kind !== '' && !/^(events|componentstatuses)/.test(kind));
  const columns = 'K:.kind,N:.metadata.namespace,M:.metadata.name';
  const table = await kubectl.must([
    'get',
    listed.join(','),
    '-A',
    '--no-headers',
    '-o',
    `custom-columns=${columns}`,
  ]);
  return table
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
    .sort();
}
