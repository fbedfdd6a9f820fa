import type { Comment, SourceLocation } from 'estree';

/** The text of a comment without its markers, and its location. */
export interface CommentText {
  text: string;
  loc: SourceLocation;
}

/** Comments that address a tool and not a reader. */
const DIRECTIVE = /^\s*(eslint|oxlint|oxfmt|@ts-|global |#)/;

/** Returns the texts of all comments. Consecutive `//` lines are one comment, since a sentence may span them. */
export function joinComments(comments: readonly Comment[]): CommentText[] {
  const joined: CommentText[] = [];
  let previous: Comment | undefined;
  for (const comment of comments) {
    const { loc } = comment;
    if (loc === undefined || loc === null || DIRECTIVE.test(comment.value)) continue;
    const last = joined.at(-1);
    if (last !== undefined && previous?.type === 'Line' && comment.type === 'Line' && follows(previous.loc, loc)) {
      last.text += ` ${comment.value.trim()}`;
      last.loc = { start: last.loc.start, end: loc.end };
    } else {
      joined.push({ text: stripMarkers(comment.value), loc });
    }
    previous = comment;
  }
  return joined;
}

function follows(before: SourceLocation | null | undefined, loc: SourceLocation): boolean {
  return before?.end.line === loc.start.line - 1 && before.start.column === loc.start.column;
}

/** Removes the stars of a block comment, and all lines that are not sentences: tags, list items and table rows. */
function stripMarkers(value: string): string {
  return value
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, ''))
    .filter((line) => !/^\s*(@|[-|])/.test(line))
    .join('\n')
    .trim();
}
