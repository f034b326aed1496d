import { setTimeout } from 'node:timers/promises';
import type { KubeApi } from '../../../src/kube/api.ts';
import { type JsonObject, textAt } from '../../../src/object/object.ts';
import { MULTUS, VOLUME } from './objects.ts';

/** One write that the webhook has to see; milliseconds since the epoch. */
export interface Write {
  readonly began: number;
  readonly ended: number;
  /** Null where the webhook was called, and answered. */
  readonly problem: string | null;
}

const BETWEEN_MS = 40;

/** A DataVolume, which the API server refuses where the webhook fails. */
export async function createVolume(api: KubeApi): Promise<string | null> {
  try {
    await api.create('/apis/cdi.kubevirt.io/v1beta1/namespaces/default/datavolumes?dryRun=All', VOLUME);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** The memory limit with which the API server would store Multus, which it does also where the webhook fails. */
export async function limitOfMultus(api: KubeApi): Promise<string | undefined> {
  const path = '/apis/apps/v1/namespaces/kube-system/daemonsets?dryRun=All';
  const stored: JsonObject = await api.create(path, MULTUS);
  return textAt(stored, 'spec', 'template', 'spec', 'containers', 0, 'resources', 'limits', 'memory');
}

async function createMultus(api: KubeApi): Promise<string | null> {
  try {
    const limit = await limitOfMultus(api);
    return limit === '500Mi' ? null : `the limit stayed ${limit}`;
  } catch (error) {
    return String(error);
  }
}

/** Writes both, again and again, until it is stopped. */
export function startWriting(api: KubeApi): { stop(): Promise<readonly Write[]> } {
  const writes: Write[] = [];
  let isOver = false;
  const write = async (create: (api: KubeApi) => Promise<string | null>) => {
    while (!isOver) {
      const began = Date.now();
      const problem = await create(api);
      writes.push({ began, ended: Date.now(), problem });
      await setTimeout(BETWEEN_MS);
    }
  };
  const writers = [createVolume, createMultus].map(write);
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(writers);
      return writes;
    },
  };
}
