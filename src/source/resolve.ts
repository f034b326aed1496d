import { lookup } from 'node:dns/promises';

/** All addresses of a host name as this machine resolves it; a literal address is its own answer. Rejects where there is none. */
export async function resolveAll(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true });
  return answers.map(({ address }) => address);
}
