/** Text that is HTML already; only `html` makes it, so nothing else gets into a page unescaped. */
export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function render(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
  return 'markup' in part ? part.markup : part.map(render).join('');
}

/** A template of HTML whose values are escaped, for texts and quoted attributes alike. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: String.raw({ raw: template }, ...parts.map(render)) };
}

export const NOTHING: Markup = html``;
