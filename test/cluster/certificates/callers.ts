import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueAuthority, issueClient } from '../../../src/tls/authority.ts';

export interface Callers {
  /** Of the authority that signed what the API server shows. */
  readonly clientCAFile: string;
  /** For --admission-control-config-file. */
  readonly admissionControlFile: string;
}

/** What makes an API server show webhooks a certificate, for `commonName`; written to that folder. */
export async function writeCallers(folder: string, commonName: string): Promise<Callers> {
  const life = { now: new Date(), validForDays: 2 };
  const authority = await issueAuthority({ commonName: 'callers', ...life });
  const caller = await issueClient(authority, { commonName, organizations: [], ...life });
  const clientCAFile = join(folder, 'callers.crt');
  await writeFile(clientCAFile, authority.certificatePem);

  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const user = {
    'client-certificate-data': base64(caller.certificatePem),
    'client-key-data': base64(caller.privateKeyPem),
  };
  const kubeConfigFile = join(folder, 'webhooks.kubeconfig');
  const users = [{ name: '*', user }];
  await writeFile(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }));
  const apiVersion = 'apiserver.config.k8s.io/v1';
  const configuration = { apiVersion, kind: 'WebhookAdmissionConfiguration', kubeConfigFile };
  const plugins = ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'].map((name) => ({
    name,
    configuration,
  }));
  const admissionControlFile = join(folder, 'admission-control.yaml');
  await writeFile(
    admissionControlFile,
    JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins }),
  );
  return { clientCAFile, admissionControlFile };
}
