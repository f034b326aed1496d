import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl as one user of the cluster. */
export interface Kubectl {
  /** Runs it, whatever comes of it. */
  run(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Its standard output; throws where it fails. */
  must(args: readonly string[], input?: string): Promise<string>;
  /** Applies manifests as `kubectl apply -f -` does, whatever comes of it. */
  apply(manifest: string, ...args: readonly string[]): Promise<CommandResult>;
  /** What `kubectl get … -o json` prints; throws where it fails. */
  getJson(...args: readonly string[]): Promise<unknown>;
}

export interface KubectlOptions {
  readonly file: string;
  readonly kubeconfig: string;
  /** Of discovery; in the home folder by default, where it would outlive the cluster. */
  readonly cacheFolder: string;
}

export function kubectlWith({ file, kubeconfig, cacheFolder }: KubectlOptions): Kubectl {
  const run = (args: readonly string[], input = ''): Promise<CommandResult> =>
    runCommand(file, [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cacheFolder}`, ...args], input);
  const must = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return {
    run,
    must,
    apply: (manifest, ...args) => run(['apply', '-f', '-', ...args], manifest),
    getJson: async (...args) => JSON.parse(await must(['get', '-o', 'json', ...args])),
  };
}

/** Runs a program to its end, with that text as its input. */
export async function runCommand(
  file: string,
  args: readonly string[],
  input = '',
  env: NodeJS.ProcessEnv = process.env,
): Promise<CommandResult> {
  const child = spawn(file, args, { env });
  const code = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    // A signal has no exit code.
    child.once('close', (exit) => resolve(exit ?? -1));
  });
  // It may end before it has read all.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  return { code: exit, stdout, stderr };
}
