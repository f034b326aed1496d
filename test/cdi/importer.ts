import { findBinary } from '../cluster/harness/binaries.ts';
import { runCommand } from '../cluster/harness/kubectl.ts';
import { inContainer, requireTool } from './container.ts';

export interface ImportRequest {
  readonly source: 'http' | 'registry';
  /** Of a server with HEAD and ranges, or `docker://…` of a registry, whose certificate is not checked. */
  readonly url: string;
  /** Of the PVC, as CDI's controller passes it: bytes, or a quantity. */
  readonly pvcSize: string;
}

export interface ImportResult {
  readonly imported: boolean;
  /** What the importer leaves for CDI's controller: JSON where it imported, else the reason why not. */
  readonly message: string;
  readonly log: string;
}

/** Kubernetes starts it with an empty volume in /data, and reads the termination log when it has ended. */
const RUN = '"$0" -v=1 >&2; code=$?; cat /dev/termination-log; exit $code';

/** Runs CDI's own importer on a Filesystem volume that is roomier than its PVC asks for. Throws where a tool is missing. */
export async function runImporter({ source, url, pvcSize }: ImportRequest): Promise<ImportResult> {
  requireTool('qemu-img', 'qemu-utils');
  requireTool('nbdkit', 'nbdkit');
  const importer = await findBinary('cdi-importer');
  const { file, args } = inContainer({ file: 'sh', args: ['-c', RUN, importer] });
  const { code, stdout, stderr } = await runCommand(file, args, '', {
    PATH: process.env.PATH,
    IMPORTER_SOURCE: source,
    IMPORTER_ENDPOINT: url,
    IMPORTER_CONTENTTYPE: 'kubevirt',
    IMPORTER_IMAGE_SIZE: pvcSize,
    FILESYSTEM_OVERHEAD: '0.06',
    INSECURE_TLS: String(source === 'registry'),
    OWNER_UID: 'test',
    PREALLOCATION: 'false',
  });
  // Whatever kept it from running at all is no verdict on the image.
  if (!/Starting importer/.test(stderr)) throw new Error(`cdi-importer did not start: ${stderr}`);
  return {
    imported: code === 0 && !/scratchSpaceRequired":true/i.test(stdout),
    message: stdout,
    log: stderr,
  };
}
