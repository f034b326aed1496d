import { stringify } from 'yaml';
import { reportObject } from './json.ts';
import type { Report } from './model.ts';

/** What `json` prints, as YAML. */
export function renderYaml(report: Report): string {
  return stringify(reportObject(report), { aliasDuplicateObjects: false, lineWidth: 0 });
}
