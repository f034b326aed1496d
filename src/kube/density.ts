import { isMark } from '../density/high-water.ts';
import { at, type JsonObject, listAt, textAt } from '../object/object.ts';
import { bytesOf, parseQuantity } from '../quantity/parse.ts';
import type { KubeApi } from './api.ts';
import type { Pass } from './clock.ts';
import { KubeError, kubeErrorCode } from './failures.ts';
import { itemsOf, readPages } from './paging.ts';

/** Pods by the name of their node; a node without any is not in it. */
export type PodsByNode = ReadonlyMap<string, number>;

export interface PodCount {
  readonly pods: PodsByNode;
  /** False where the API server is too old (before 1.28) to leave them out: then they are counted as well. */
  readonly withoutHostNetwork: boolean;
}

const PODS = '/api/v1/pods';
const NODES = '/api/v1/nodes';

/** 70 kB a page. */
const ROWS_A_PAGE = 500;
/** A node has a list of its images: 10 to 20 kB. */
const NODES_A_PAGE = 100;

/** Finished pods have no sandbox any more, those without a node none yet. */
const RUNNING = 'status.phase!=Succeeded,status.phase!=Failed,spec.nodeName!=';
/** They use the node's own network: no CNI call is made for them. */
const WITHOUT_HOST_NETWORK = 'spec.hostNetwork=false';

/** Counts the pods that need CNI, by node, from a Table: 130 bytes a pod instead of 10 kB. Throws KubeError. */
export async function countPods(api: KubeApi, pass: Pass): Promise<PodCount> {
  try {
    return {
      pods: await countSelected(api, `${RUNNING},${WITHOUT_HOST_NETWORK}`, pass),
      withoutHostNetwork: true,
    };
  } catch (error) {
    if (kubeErrorCode(error) !== 'bad-request') throw error;
    return { pods: await countSelected(api, RUNNING, pass), withoutHostNetwork: false };
  }
}

/** `status.allocatable.pods` by node. Throws KubeError. */
export async function readAllocatable(api: KubeApi, pass: Pass): Promise<PodsByNode> {
  const begin = () => {
    const allocatable = new Map<string, number>();
    return {
      add: (page: JsonObject) => {
        for (const node of itemsOf(page, NODES)) {
          const name = textAt(node, 'metadata', 'name') ?? '';
          const pods = parseQuantity(at(node, 'status', 'allocatable', 'pods'));
          const count = pods.ok ? Number(bytesOf(pods.quantity)) : null;
          // A node that has just joined says nothing yet.
          if (isMark(name, count)) allocatable.set(name, count);
        }
      },
      result: () => allocatable,
    };
  };
  return readPages(api, { path: NODES, limit: NODES_A_PAGE }, begin, pass);
}

function countSelected(api: KubeApi, fieldSelector: string, pass: Pass): Promise<PodsByNode> {
  const begin = () => {
    const counts = new Map<string, number>();
    return { add: (page: JsonObject) => countRows(page, counts), result: () => counts };
  };
  const request = { path: PODS, limit: ROWS_A_PAGE, fieldSelector, as: 'table' } as const;
  return readPages(api, request, begin, pass);
}

/** Adds the rows of one page. */
function countRows(page: JsonObject, counts: Map<string, number>): void {
  const column = listAt(page, 'columnDefinitions').findIndex(
    (definition) => at(definition, 'name') === 'Node',
  );
  // Whoever does not know Tables sends the objects.
  if (at(page, 'kind') !== 'Table' || column === -1)
    throw new KubeError('bad-answer', { during: `GET ${PODS}`, detail: 'not a Table with a column Node' });
  for (const row of listAt(page, 'rows')) {
    const node = at(row, 'cells', column);
    // A pod without a node is printed as <none>, which is no node's name.
    if (typeof node === 'string' && isMark(node, 0)) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
}
