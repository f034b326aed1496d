import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Keys } from '../../../src/tls/authority.ts';

/**
 * Hands out the same few keys in turn, for tests that issue hundreds of certificates. Too short for TLS; and there have
 * to be more of them than authorities are trusted at once.
 */
export function keyPool(size: number): () => Promise<Keys> {
  const made: Promise<Keys>[] = [];
  let turn = 0;
  return () => {
    const place = turn++ % size;
    made[place] ??= makeKeys();
    return made[place];
  };
}

async function makeKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}
