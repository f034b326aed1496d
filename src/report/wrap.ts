const SURROGATES = /[\ud800-\udfff]/;

/** Code points: enough for terminals here, since names in Kubernetes are ASCII and messages nearly so. */
export function textWidth(text: string): number {
  return SURROGATES.test(text) ? [...text].length : text.length;
}

/** The text padded with spaces to `width` columns; longer ones stay as they are. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Lines of at most `width` columns, broken at spaces and, where a word is longer than a line, within it. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((word) => pieces(word, width))) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  const points = [...word];
  if (points.length <= width) return [word];
  const parts: string[] = [];
  for (let from = 0; from < points.length; from += width)
    parts.push(points.slice(from, from + width).join(''));
  return parts;
}
