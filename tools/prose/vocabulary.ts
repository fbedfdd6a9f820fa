/** A word or phrase that the project does not use in prose, and what to write instead. */
export interface Term {
  pattern: RegExp;
  instead: string;
}

const term = (pattern: string, instead: string): Term => ({
  pattern: new RegExp(`(?<![\\w-])(?:${pattern})\\b`, 'i'),
  instead,
});

/**
 * Terms that the prose check rejects. Most are in the vocabulary of CONTRIBUTING.md. Words of that vocabulary that
 * often have an ordinary meaning here ("line", "made") are left out.
 */
export const TERMS: readonly Term[] = [
  term('anew', 'again, or a verb such as restart, recreate, reload'),
  term('whoever|nobody|somebody|everybody|anybody|everyone', "the actor's name: user, client, operator, caller"),
  term('in force|into force', 'effective, applied'),
  term('knobs?', 'options'),
  term('departures?', 'shutdown'),
  term('condemned', 'selected for removal'),
  term('at rest', 'steady'),
  term('begun', 'started, opened'),
  term('go(?:es)? on|went on|going on', 'continue'),
  term('heard|hears', 'received, receives'),
  term('told|tells?|telling', 'report, return, notify, send, log'),
  term('(?:is|are) no more', 'was deleted, has ended'),
  term('last words', 'last log lines'),
  term('the books', 'balances'),
  term('lets? go of|letting go', 'release'),
  term('(?:took|takes?|taken|taking) (?:\\w+ )?back', 'roll back, release, withdraw'),
  term('strangers?', 'unmanaged'),
  term('of which nothing', 'a sentence with a subject'),
  term('is as good as dead|as good as', 'counts as'),
  term('(?:gives?|gave|given|giving) up', 'fails, was abandoned, no longer waits'),
  term('(?:is|are) gone', 'was deleted, has ended, has expired'),
  term('for ever', 'forever, or the condition that ends it'),
  term('inside of', 'inside'),
  term('beside', 'next to, in addition to'),
  term('looks? at|looked at|looking at', 'reads, checks, observes'),
  term('troubles?|fate', 'problem, failure, result'),
];

/** Beginnings that hide the subject of a sentence. */
export const BAD_OPENINGS =
  /^(?:one that|ones that|those that|those who|what is|what was|of which|of what|whoever|nobody|undefined:|empty:|absent:)/i;
