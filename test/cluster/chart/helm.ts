import { join, resolve } from 'node:path';
import { findBinary } from '../harness/binaries.ts';
import { type CommandResult, runCommand } from '../harness/kubectl.ts';

export const CHART = resolve(import.meta.dirname, '../../../charts/plimsoll');

/** helm, which keeps what it writes in a folder of the test's. */
export interface Helm {
  /** Runs it, whatever comes of it. */
  run(args: readonly string[]): Promise<CommandResult>;
  /** Its standard output; throws where it fails. */
  must(args: readonly string[]): Promise<string>;
}

/** Without a kubeconfig it can only render. */
export async function helmIn(folder: string, kubeconfig?: string): Promise<Helm> {
  const file = await findBinary('helm');
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig ?? join(folder, 'no-kubeconfig'),
    HELM_CACHE_HOME: join(folder, 'helm-cache'),
    HELM_CONFIG_HOME: join(folder, 'helm-config'),
    HELM_DATA_HOME: join(folder, 'helm-data'),
  };
  const run = (args: readonly string[]) => runCommand(file, args, '', env);
  return {
    run,
    must: async (args) => {
      const { code, stdout, stderr } = await run(args);
      if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    },
  };
}
