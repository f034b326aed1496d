import { bundleOf, type Keeping } from './rotation.ts';

/** The keys of the Secret: `tls.crt`, `tls.key` and `ca.crt` (the bundle) as cert-manager has them, the rest our own. */
export function textsOf(keeping: Keeping): Record<string, string> {
  const { authority, leaf, next, old } = keeping;
  return {
    'tls.crt': leaf.certificatePem,
    'tls.key': leaf.privateKeyPem,
    'ca.crt': bundleOf(keeping),
    'signing-ca.crt': authority.certificatePem,
    'signing-ca.key': authority.privateKeyPem,
    ...(next === null ? {} : { 'next-ca.crt': next.certificatePem, 'next-ca.key': next.privateKeyPem }),
    ...(old === null ? {} : { 'old-ca.crt': old }),
  };
}

/** What the Secret's texts hold; null where something is missing that cannot be done without. */
export function keepingOf(texts: Readonly<Record<string, string>>): Keeping | null {
  const pair = (certificate: string, key: string) => {
    const certificatePem = texts[certificate];
    const privateKeyPem = texts[key];
    return certificatePem && privateKeyPem ? { certificatePem, privateKeyPem } : null;
  };
  const authority = pair('signing-ca.crt', 'signing-ca.key');
  const leaf = pair('tls.crt', 'tls.key');
  if (authority === null || leaf === null) return null;
  return { authority, leaf, next: pair('next-ca.crt', 'next-ca.key'), old: texts['old-ca.crt'] || null };
}
