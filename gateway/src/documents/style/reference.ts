/** Methods, statuses and lists of fields. */
export const REFERENCE_STYLE = `
.method { flex: none; font: 700 .68rem/1 var(--mono); letter-spacing: .03em; padding: .28rem .4rem; border-radius: .3rem; background: var(--accent-ground); color: var(--accent); }
.method.post { background: #dcfce7; color: #166534; } .method.wss { background: #ede9fe; color: #5b21b6; }
nav .method { font-size: .6rem; padding: .22rem .3rem; min-width: 2.35rem; text-align: center; }
.route { display: flex; align-items: center; gap: .6rem; flex-wrap: wrap; }
.fields { list-style: none; padding: 0; margin: 0 0 1rem; border-top: 1px solid var(--line); }
.fields li { padding: .75rem 0; margin: 0; border-bottom: 1px solid var(--line); }
.fields .fields { margin: .6rem 0 0; padding-left: 1rem; border-top: 0; border-left: 2px solid var(--line); }
.fields .fields li:last-child { border-bottom: 0; padding-bottom: .2rem; }
.name { display: flex; flex-wrap: wrap; align-items: baseline; gap: .6rem; }
.name > code { font-weight: 600; background: none; border: 0; padding: 0; }
.type { font-size: .82rem; font-weight: 400; color: var(--soft); }
.required, .optional { font-size: .72rem; color: var(--warn); }
.optional { color: var(--soft); }
.about { font-size: .93rem; margin-top: .2rem; }
.rules { color: var(--soft); font-size: .86rem; }
.status { font: 600 .8rem var(--mono); }
.s1, .s2, .s3 { color: var(--good); } .s4 { color: var(--warn); } .s5 { color: var(--bad); }
.codes { margin-top: .3rem; font-size: .9rem; line-height: 1.9; }
.codes a, .also a, p a:has(> code) { text-decoration: none; }
.also { margin-top: .2rem; font-size: .86rem; color: var(--soft); }
.message { padding: 1rem 0 1.5rem; }
.message + .message { border-top: 1px dashed var(--line); }
.message h3 { margin-top: .5rem; }
@media (prefers-color-scheme: dark) { .method.post { background: #14361f; color: #86efac; } .method.wss { background: #2b2150; color: #c4b5fd; } }
`;
