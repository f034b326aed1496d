import { writeFile } from 'node:fs/promises';
import type { KeyPair } from '../../../src/tls/authority.ts';

export interface Access {
  readonly url: string;
  readonly caPem: string;
  readonly user: KeyPair;
}

/** Writes a kubeconfig that needs no other file. JSON is YAML. */
export async function writeKubeconfig(path: string, { url, caPem, user }: Access): Promise<void> {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(caPem) } }],
    users: [
      {
        name: 'test',
        user: {
          'client-certificate-data': base64(user.certificatePem),
          'client-key-data': base64(user.privateKeyPem),
        },
      },
    ],
  };
  await writeFile(path, JSON.stringify(config, null, 2), { mode: 0o600 });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
