import { isObject } from '../object/object.ts';
import { type HighWaterMarks, isMark } from './high-water.ts';

/** The API server takes 1 MiB of data in a ConfigMap; half of it holds 7,000 nodes with names of 64 characters. */
const MAX_TEXT_LENGTH = 512 * 1024;

/**
 * The marks as the text of a ConfigMap's key: a JSON object, the highest mark first. Node names come and go, so where
 * there are too many for the text the lowest marks are left out, which cannot lower the highest.
 */
export function encodeMarks(marks: HighWaterMarks): string {
  const entries = [...marks].filter(([node, pods]) => isMark(node, pods)).sort(byMark);
  const members: string[] = [];
  let length = '{}'.length;
  for (const [node, pods] of entries) {
    const member = `${JSON.stringify(node)}:${pods}`;
    length += member.length + ','.length;
    if (length > MAX_TEXT_LENGTH) break;
    members.push(member);
  }
  return `{${members.join(',')}}`;
}

/** Reads what encodeMarks wrote. People can edit a ConfigMap: whatever is no mark of a node is left out. */
export function decodeMarks(text: unknown): HighWaterMarks {
  if (typeof text !== 'string' || text.length > MAX_TEXT_LENGTH) return new Map();
  const parsed = parse(text);
  const entries = isObject(parsed) ? Object.entries(parsed) : [];
  return new Map(entries.filter((entry): entry is [string, number] => isMark(entry[0], entry[1])));
}

/** The same marks always make the same text, so that nothing is written where nothing changed. */
function byMark([nodeA, podsA]: [string, number], [nodeB, podsB]: [string, number]): number {
  return podsA === podsB ? (nodeA < nodeB ? -1 : 1) : podsB - podsA;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
