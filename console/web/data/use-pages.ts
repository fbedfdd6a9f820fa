import { useEffect, useState } from 'preact/hooks';
import type { PageOf } from '../../src/responses/history.ts';
import { useAction } from './use-action.ts';
import type { Action } from './use-action.ts';
import { useLoad } from './use-load.ts';
import type { Loaded } from './use-load.ts';

/** One part of a list. */
type Part<Row> = Pick<PageOf<Row>, 'data' | 'has_more'>;

/** State of a list that a page reads in parts. */
export interface Pages<Row> {
  readonly first: Loaded<Part<Row>>;
  /** The rows of all parts that were read. */
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  /** Reads the next part. */
  readonly more: Action<[]>;
}

/**
 * Reads the first part of a list when the component appears and when `key` changes. To read a further part, `read` gets
 * the id of the last row that was read.
 */
export function usePages<Row extends { readonly id: string }>(
  key: string,
  read: (before: string | undefined) => Promise<Part<Row>>,
): Pages<Row> {
  const first = useLoad(key, () => read(undefined));
  const [further, setFurther] = useState<Part<Row>>();
  useEffect(() => setFurther(undefined), [key]);
  const rows = [...(first.data?.data ?? []), ...(further?.data ?? [])];
  const more = useAction(async () => {
    const page = await read(rows.at(-1)?.id);
    setFurther({ data: [...(further?.data ?? []), ...page.data], has_more: page.has_more });
  });
  return { first, rows, hasMore: (further ?? first.data)?.has_more ?? false, more };
}
