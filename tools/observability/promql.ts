/** Keywords of PromQL that can appear in the position of a metric. */
const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'on', 'ignoring', 'by', 'without', 'inf', 'nan']);
const LABEL_LISTS = /\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

/** A metric in a query and the labels that it selects by. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Finds the metrics of a query. Covers the syntax of our queries, in which no metric is named like a function. */
export function selectorsOf(query: string): Selector[] {
  const plain = query.replace(LABEL_LISTS, ' ').replace(/\[[^\]]*\]/g, ' ');
  const found: Selector[] = [];
  for (const match of plain.matchAll(/([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?\s*(\()?/g)) {
    const [whole, metric = '', selector = '', call] = match;
    const before = plain.slice(0, match.index);
    const isNumber = /[0-9.]$/.test(before);
    if (call !== undefined || isNumber || KEYWORDS.has(metric.toLowerCase()) || isInside(before) || whole === '')
      continue;
    found.push({ metric, labels: labelsOf(selector) });
  }
  return found;
}

/** Returns the labels that a query groups or joins by. */
export function groupingsOf(query: string): string[] {
  return [...query.matchAll(LABEL_LISTS)].flatMap(([, , list = '']) =>
    list
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
}

function labelsOf(selector: string): string[] {
  return [...selector.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
}

/** Whether a text ends inside of braces or quotes. */
function isInside(text: string): boolean {
  const open = (text.match(/\{/g) ?? []).length > (text.match(/\}/g) ?? []).length;
  return open || (text.match(/"/g) ?? []).length % 2 === 1;
}
