import t from 'tap';
import { parse } from 'yaml';
import { reportObject } from '../../../src/report/json.ts';
import { renderYaml } from '../../../src/report/yaml.ts';
import { EMPTY, MIXED } from '../../fixtures/report/mixed.ts';

t.test('says what json says', (t) => {
  t.same(parse(renderYaml(MIXED)), reportObject(MIXED));
  t.same(parse(renderYaml(EMPTY)), reportObject(EMPTY));
  t.end();
});

t.test('repeats itself instead of using anchors, which not every reader knows', (t) => {
  const shared = MIXED.results[0]!;
  t.notMatch(renderYaml({ ...MIXED, results: [shared, shared] }), /[&*]a1/);
  t.end();
});

t.test('texts that look like other types stay texts', (t) => {
  const result = {
    ...MIXED.results[0]!,
    properties: { a: 'no', b: '1e3', c: '0x10', d: '~', e: '2026-11-30' },
  };
  t.same(parse(renderYaml({ ...MIXED, results: [result] })).results[0].properties, result.properties);
  t.end();
});
