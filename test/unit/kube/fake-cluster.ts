import { at, isObject, type JsonObject, objectAt, textAt } from '../../../src/object/object.ts';
import { type FakeApi, fakeApi, type Reply, type Seen, status } from './fake-api.ts';

/** An API server that stores objects by their path, with resourceVersions and conflicts as the real one has them. */
export interface FakeCluster extends FakeApi {
  /** By path. */
  readonly objects: Map<string, JsonObject>;
  /** Asked first; undefined where the store is to answer. */
  before: (request: Seen) => Reply | Promise<Reply> | undefined;
  /** Writes until now. */
  readonly writes: () => number;
  /** Changes an object as another client would. */
  readonly change: (path: string, change: (object: JsonObject) => JsonObject) => void;
}

export async function fakeCluster(t: { teardown(end: () => unknown): void }): Promise<FakeCluster> {
  const objects = new Map<string, JsonObject>();
  let version = 0;
  const store = (path: string, object: JsonObject, uid: string): JsonObject => {
    version += 1;
    const metadata = { ...objectAt(object, 'metadata'), uid, resourceVersion: String(version) };
    const stored = { ...object, metadata };
    objects.set(path, stored);
    return stored;
  };
  const answer = ({ method, path, body }: Seen): Reply => {
    const stored = objects.get(path);
    if (method === 'GET') return stored === undefined ? status(404, 'NotFound') : { json: stored };
    const sent: unknown = JSON.parse(body);
    if (!isObject(sent)) return status(400, 'BadRequest');
    if (method === 'POST') {
      const target = `${path}/${at(sent, 'metadata', 'name')}`;
      if (objects.has(target)) return status(409, 'AlreadyExists');
      return { status: 201, json: store(target, sent, `uid-${version}`) };
    }
    if (stored === undefined) return status(404, 'NotFound');
    const isCurrent = at(sent, 'metadata', 'resourceVersion') === at(stored, 'metadata', 'resourceVersion');
    if (!isCurrent) return status(409, 'Conflict');
    return { json: store(path, sent, textAt(stored, 'metadata', 'uid') ?? '') };
  };
  const fake = await fakeApi(t, (request) => cluster.before(request) ?? answer(request));
  const cluster: FakeCluster = {
    ...fake,
    objects,
    before: () => undefined,
    writes: () => fake.seen.filter(({ method }) => method !== 'GET').length,
    change: (path, change) => {
      const stored = objects.get(path);
      if (stored === undefined) throw new Error(`there is no ${path}`);
      store(path, change(stored), textAt(stored, 'metadata', 'uid') ?? '');
    },
  };
  return cluster;
}
