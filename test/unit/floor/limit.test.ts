import t from 'tap';
import { judgeLimit, type LimitRule, type MemoryValues } from '../../../src/floor/limit.ts';
import { MiB } from '../../../src/quantity/units.ts';

const rule: LimitRule = {
  floor: 500n * MiB,
  stickyPercent: 25,
  requests: 'followWhenEqual',
  absent: { bytes: null, because: 'none is set' },
};

interface Row {
  readonly name: string;
  readonly sent: Partial<MemoryValues>;
  readonly stored?: Partial<MemoryValues>;
  readonly rule?: Partial<LimitRule>;
  readonly state: string;
  readonly writes: { readonly limit: unknown; readonly request?: unknown } | null;
}

const ADDED = { absent: { bytes: 0n, because: 'one is added' } };

const rows: readonly Row[] = [
  // Against the floor.
  {
    name: 'one byte under the floor',
    sent: { limit: '524287999' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  { name: 'at the floor', sent: { limit: '500Mi' }, state: 'ok', writes: null },
  { name: 'at the floor in other units', sent: { limit: '512000Ki' }, state: 'ok', writes: null },
  { name: 'one byte over the floor', sent: { limit: '524288001' }, state: 'ok', writes: null },
  {
    name: 'decimal units are smaller than binary ones',
    sent: { limit: '500M' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'a number under the floor',
    sent: { limit: 52_428_800 },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  { name: 'a number at the floor', sent: { limit: 524_288_000 }, state: 'ok', writes: null },
  { name: 'a part of a byte', sent: { limit: '500m' }, state: 'below', writes: { limit: '500Mi' } },
  { name: 'zero', sent: { limit: '0' }, state: 'unlimited', writes: null },
  { name: 'zero in units', sent: { limit: '0Mi' }, state: 'unlimited', writes: null },
  { name: 'zero as a number', sent: { limit: 0 }, state: 'unlimited', writes: null },
  // Absent.
  { name: 'absent and unlimited', sent: {}, state: 'unlimited', writes: null },
  { name: 'null is absent', sent: { limit: null }, state: 'unlimited', writes: null },
  { name: 'absent and to be added', sent: {}, rule: ADDED, state: 'below', writes: { limit: '500Mi' } },
  {
    name: 'absent and to be added under a request',
    sent: { request: '600Mi' },
    rule: ADDED,
    state: 'below',
    writes: { limit: '600Mi' },
  },
  {
    name: 'absent with a default under the floor',
    sent: {},
    rule: { absent: { bytes: 500n * MiB - 1n, because: '' } },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'absent with a default at the floor',
    sent: {},
    rule: { absent: { bytes: 500n * MiB, because: '' } },
    state: 'ok',
    writes: null,
  },
  // Requests.
  {
    name: 'an equal request follows',
    sent: { limit: '50Mi', request: '50Mi' },
    state: 'below',
    writes: { limit: '500Mi', request: '500Mi' },
  },
  {
    name: 'a request that is equal in other units follows',
    sent: { limit: '50Mi', request: '51200Ki' },
    state: 'below',
    writes: { limit: '500Mi', request: '500Mi' },
  },
  {
    name: 'a lower request stays',
    sent: { limit: '50Mi', request: '49Mi' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'a missing request stays missing',
    sent: { limit: '50Mi' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'follow moves a lower request',
    sent: { limit: '50Mi', request: '20Mi' },
    rule: { requests: 'follow' },
    state: 'below',
    writes: { limit: '500Mi', request: '500Mi' },
  },
  {
    name: 'follow writes a missing request',
    sent: { limit: '50Mi' },
    rule: { requests: 'follow' },
    state: 'below',
    writes: { limit: '500Mi', request: '500Mi' },
  },
  {
    name: 'follow changes nothing while the limit is enough',
    sent: { limit: '500Mi', request: '20Mi' },
    rule: { requests: 'follow' },
    state: 'ok',
    writes: null,
  },
  {
    name: 'follow leaves a request that is there already',
    sent: { limit: '50Mi', request: '512000Ki' },
    rule: { requests: 'follow' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'keep leaves an equal request',
    sent: { limit: '50Mi', request: '50Mi' },
    rule: { requests: 'keep' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'a request over the floor takes the limit with it',
    sent: { limit: '50Mi', request: '700Mi' },
    state: 'below',
    writes: { limit: '700Mi' },
  },
  // Sticky.
  {
    name: 'a stored limit at the floor is kept',
    sent: { limit: '50Mi' },
    stored: { limit: '500Mi' },
    state: 'kept',
    writes: { limit: '500Mi' },
  },
  {
    name: 'a stored limit at the end of the band is kept',
    sent: { limit: '50Mi' },
    stored: { limit: '625Mi' },
    state: 'kept',
    writes: { limit: '625Mi' },
  },
  {
    name: 'a stored limit one byte over the band is not',
    sent: { limit: '50Mi' },
    stored: { limit: '655360001' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'a stored limit one byte under the floor is not',
    sent: { limit: '50Mi' },
    stored: { limit: '524287999' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'a stored limit that cannot be read is not',
    sent: { limit: '50Mi' },
    stored: { limit: 'much' },
    state: 'below',
    writes: { limit: '500Mi' },
  },
  {
    name: 'an equal request follows to the stored limit',
    sent: { limit: '50Mi', request: '50Mi' },
    stored: { limit: '600Mi', request: '600Mi' },
    state: 'kept',
    writes: { limit: '600Mi', request: '600Mi' },
  },
  {
    name: 'what is stored is written as it is stored',
    sent: { limit: '50Mi', request: '50Mi' },
    stored: { limit: 629_145_600, request: '614400Ki' },
    state: 'kept',
    writes: { limit: 629_145_600, request: '614400Ki' },
  },
  {
    name: 'a limit that is enough is not kept from falling to it',
    sent: { limit: '500Mi' },
    stored: { limit: '600Mi' },
    state: 'ok',
    writes: null,
  },
  {
    name: 'a limit that was patched down beside its stored request comes back',
    sent: { limit: '50Mi', request: '500Mi' },
    stored: { limit: '500Mi', request: '500Mi' },
    state: 'kept',
    writes: { limit: '500Mi' },
  },
  {
    name: 'a missing limit comes back where one is added',
    sent: {},
    stored: { limit: '600Mi' },
    rule: ADDED,
    state: 'kept',
    writes: { limit: '600Mi' },
  },
  {
    name: 'no band keeps only the floor itself',
    sent: { limit: '50Mi' },
    stored: { limit: '501Mi' },
    rule: { stickyPercent: 0 },
    state: 'below',
    writes: { limit: '500Mi' },
  },
];

for (const row of rows) {
  t.test(row.name, async (t) => {
    const verdict = judgeLimit(
      { limit: row.sent.limit, request: row.sent.request },
      row.stored === undefined ? null : { limit: row.stored.limit, request: row.stored.request },
      { ...rule, ...row.rule },
    );
    const writes = row.writes === null ? null : { request: undefined, ...row.writes };
    t.same(verdict.ok && { state: verdict.state, writes: verdict.writes }, { state: row.state, writes });
  });
}

const unreadable: readonly {
  readonly name: string;
  readonly sent: Partial<MemoryValues>;
  readonly value: string;
}[] = [
  { name: 'a limit of words', sent: { limit: 'lots' }, value: 'limit' },
  { name: 'a negative limit', sent: { limit: '-1Gi' }, value: 'limit' },
  { name: 'a limit in unknown units', sent: { limit: '500MB' }, value: 'limit' },
  { name: 'an empty limit', sent: { limit: '' }, value: 'limit' },
  { name: 'a limit of no scalar', sent: { limit: { __proto__: null } }, value: 'limit' },
  {
    name: 'a request of words beside a low limit',
    sent: { limit: '50Mi', request: 'few' },
    value: 'request',
  },
  { name: 'a negative request beside a low limit', sent: { limit: '50Mi', request: -1 }, value: 'request' },
];

for (const { name, sent, value } of unreadable) {
  t.test(`unreadable: ${name}`, async (t) => {
    const verdict = judgeLimit({ limit: sent.limit, request: sent.request }, null, rule);
    t.match(verdict, { ok: false, value });
  });
}

t.test('a request that cannot be read is no concern while the limit stays', async (t) => {
  t.match(judgeLimit({ limit: '500Mi', request: 'few' }, null, rule), { ok: true, state: 'ok' });
});

t.test('says why in words', async (t) => {
  const because = (
    sent: Partial<MemoryValues>,
    stored: MemoryValues | null,
    changed: Partial<LimitRule> = {},
  ) => {
    const verdict = judgeLimit({ limit: sent.limit, request: sent.request }, stored, { ...rule, ...changed });
    return verdict.ok ? verdict.because : null;
  };
  t.equal(because({ limit: '500Mi' }, null), null);
  t.equal(because({ limit: '50Mi' }, null), null);
  t.equal(because({ limit: 0 }, null), 'zero means no limit');
  t.equal(because({}, null), 'none is set');
  t.equal(because({ request: '1Gi' }, null, ADDED), 'one is added; the request is higher than that');
  t.equal(
    because({ limit: '50Mi' }, { limit: '600Mi', request: undefined }),
    'the stored limit is at most 25 % over the floor',
  );
});

t.test('tells what the limit is and will be', async (t) => {
  const shown = (limit: unknown) => {
    const verdict = judgeLimit({ limit, request: undefined }, null, rule);
    return verdict.ok ? { limit: verdict.limit, wanted: verdict.wanted } : null;
  };
  t.same(shown('1e3'), { limit: { bytes: 1000n, text: '1e3' }, wanted: '500Mi' });
  t.same(shown('1024Mi'), { limit: { bytes: 1024n * MiB, text: '1024Mi' }, wanted: '1024Mi' });
  t.same(shown(undefined), { limit: null, wanted: null });
});
