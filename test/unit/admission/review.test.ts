import t from 'tap';
import {
  ALLOWED,
  type Answer,
  decodeReview,
  encodeReview,
  fitWarnings,
  printable,
} from '../../../src/admission/review.ts';

const reviewOf = (request: unknown) =>
  Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));

t.test('decodes what is used of a request', (t) => {
  const request = {
    uid: 'u',
    operation: 'UPDATE',
    namespace: 'images',
    object: { a: 1 },
    oldObject: { a: 0 },
    dryRun: true,
    userInfo: { username: 'somebody' },
  };
  t.same(decodeReview(reviewOf(request)), {
    ok: true,
    request: {
      uid: 'u',
      operation: 'UPDATE',
      namespace: 'images',
      object: { a: 1 },
      oldObject: { a: 0 },
      dryRun: true,
    },
  });
  t.end();
});

t.test('what a request does not say is empty, null or false', (t) => {
  const empty = {
    ok: true,
    request: { uid: 'u', operation: '', namespace: '', object: null, oldObject: null, dryRun: false },
  };
  t.same(decodeReview(reviewOf({ uid: 'u' })), empty);
  t.same(
    decodeReview(
      reviewOf({ uid: 'u', operation: 1, namespace: [], object: [], oldObject: 'x', dryRun: 'true' }),
    ),
    empty,
    'and so is what is of another type',
  );
  t.end();
});

t.test('nothing of the object is dropped or obeyed', (t) => {
  const text = '{"__proto__":{"a":1},"constructor":{"prototype":2},"x":null}';
  const body = reviewOf({ uid: 'u', object: 'OBJECT' }).toString().replace('"OBJECT"', text);
  const decoded = decodeReview(Buffer.from(body));
  const object = decoded.ok ? decoded.request.object : null;
  t.equal(JSON.stringify(object), text);
  t.equal((object as { a?: unknown } | null)?.a, undefined);
  t.end();
});

const response = (answer: Partial<Answer>) =>
  (encodeReview('u', { ...ALLOWED, ...answer }) as { response: Record<string, unknown> }).response;

t.test('the uid comes back, in a review of the same version', (t) => {
  t.same(encodeReview('u-1', ALLOWED), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u-1', allowed: true },
  });
  t.end();
});

t.test('patch and patchType come together, or not at all', (t) => {
  const patch = [{ op: 'add', path: '/metadata/labels/ü', value: 'ß' }];
  const { patchType, patch: encoded } = response({ patch });
  t.equal(patchType, 'JSONPatch');
  t.same(JSON.parse(Buffer.from(encoded as string, 'base64').toString('utf8')), patch);
  t.same(Object.keys(response({ patch: [] })), ['uid', 'allowed']);
  t.end();
});

t.test('a denial', (t) => {
  const denial = { code: 403, message: 'two\nlines\u0007' };
  t.same(response({ allowed: false, denial }), {
    uid: 'u',
    allowed: false,
    status: { code: 403, reason: 'Forbidden', message: 'two lines' },
  });
  t.same(response({ allowed: false, denial: { code: 500, message: 'm' } })['status'], {
    code: 500,
    reason: 'InternalError',
    message: 'm',
  });
  t.end();
});

t.test('a denial is not cut', (t) => {
  const message = 'x'.repeat(5000);
  t.match(response({ allowed: false, denial: { code: 403, message } }), { status: { message } });
  t.end();
});

t.test('audit annotations, where there are some', (t) => {
  t.same(response({ auditAnnotations: { oversized: 'deny' } })['auditAnnotations'], { oversized: 'deny' });
  t.notOk('auditAnnotations' in response({}));
  t.end();
});

const RUNE = '\u{1f6a2}';
const FITTED: readonly { name: string; warnings: readonly string[]; fitted: readonly string[] }[] = [
  { name: 'none', warnings: [], fitted: [] },
  { name: 'as they are', warnings: ['a', 'b'], fitted: ['a', 'b'] },
  { name: '256 characters', warnings: ['x'.repeat(256)], fitted: ['x'.repeat(256)] },
  { name: '257 characters', warnings: ['x'.repeat(257)], fitted: [`${'x'.repeat(255)}…`] },
  { name: '256 runes of two code units', warnings: [RUNE.repeat(256)], fitted: [RUNE.repeat(256)] },
  { name: '257 runes of two code units', warnings: [RUNE.repeat(257)], fitted: [`${RUNE.repeat(255)}…`] },
  { name: 'doubles once', warnings: ['a', 'b', 'a'], fitted: ['a', 'b'] },
  { name: 'doubles once they are printable', warnings: ['a\nb', 'a\tb', 'a b'], fitted: ['a b'] },
  { name: 'empty ones', warnings: ['', '\n', '  '], fitted: [] },
  {
    name: 'control characters of all kinds',
    warnings: ['a\u0000b\u001b[31mc\u007f\u0085d'],
    fitted: ['a b [31mc d'],
  },
  { name: 'half surrogates', warnings: ['a\ud800b', '\udc00'], fitted: ['a\ufffdb', '\ufffd'] },
  {
    name: '4096 characters together',
    warnings: Array.from({ length: 17 }, (_, index) => String(index).padStart(256, '.')),
    fitted: Array.from({ length: 16 }, (_, index) => String(index).padStart(256, '.')),
  },
  {
    name: 'a short one still fits where a long one does not',
    warnings: [
      ...Array.from({ length: 16 }, (_, index) => String(index).padStart(255, '.')),
      'x'.repeat(17),
      'y'.repeat(16),
    ],
    fitted: [...Array.from({ length: 16 }, (_, index) => String(index).padStart(255, '.')), 'y'.repeat(16)],
  },
];

for (const { name, warnings, fitted } of FITTED)
  t.test(`warnings: ${name}`, (t) => {
    t.same(fitWarnings(warnings), fitted);
    t.same(response({ warnings })['warnings'], fitted.length === 0 ? undefined : fitted);
    t.end();
  });

t.test('printable text is one line', (t) => {
  t.equal(printable('  a\r\n\tb\u2028c  '), 'a b\u2028c', 'the API server minds control characters alone');
  t.end();
});
