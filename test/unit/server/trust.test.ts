import t from 'tap';
import type { LiveConfiguration } from '../../../src/kube/webhook-configurations.ts';
import { distrusts } from '../../../src/server/trust.ts';
import { issueAuthority, issueServing } from '../../../src/tls/authority.ts';

const now = new Date();
const authority = await issueAuthority({ commonName: 'CA', now, validForDays: 30 });
const stranger = await issueAuthority({ commonName: 'CA', now, validForDays: 30 });
const leaf = await issueServing(authority, { names: ['a.ns.svc'], now, validForDays: 10 });

const ours = authority.certificatePem;
const others = stranger.certificatePem;
const configuration = (...bundles: readonly string[]): LiveConfiguration => ({
  kind: 'ValidatingWebhookConfiguration',
  name: 'plimsoll',
  resourceVersion: '1',
  webhooks: bundles.map((caBundle, index) => ({ name: `w${index}`, caBundle })),
});
const doubt = (name: string) =>
  `certificate: ValidatingWebhookConfiguration plimsoll: the caBundle of ${name} does not vouch for the one in use`;
const LATER = new Date(now.getTime() + 20 * 86_400_000);

t.test('who does not trust the leaf', async (t) => {
  const rows: [name: string, configurations: LiveConfiguration[], at: Date, doubted: string[]][] = [
    ['there is no configuration', [], now, []],
    ['a configuration without webhooks', [configuration()], now, []],
    ['all hold its authority', [configuration(ours, ours), configuration(ours)], now, []],
    ['its authority beside another', [configuration(others + ours)], now, []],
    ['no caBundle', [configuration('')], now, ['w0']],
    ['another authority of the same name', [configuration(ours, others)], now, ['w1']],
    ['no certificates at all', [configuration('spoiled')], now, ['w0']],
    ['one in each', [configuration(others), configuration(ours, '')], now, ['w0', 'w1']],
    ['after its end', [configuration(ours)], LATER, ['w0']],
  ];
  for (const [name, configurations, at, doubted] of rows)
    t.same(distrusts(leaf, configurations, { now: at, names: [] }), doubted.map(doubt), name);
  t.same(distrusts(leaf, [configuration(ours)], { now, names: ['b.ns.svc'] }), [doubt('w0')], 'another name');
});
