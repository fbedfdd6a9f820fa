/** Blocks of code and their tabs. */
export const CODE_STYLE = `
pre.code { position: relative; margin: 0 0 1rem; padding: 1rem 1.1rem; overflow-x: auto; background: var(--code-ground); color: var(--code-text); border: 1px solid var(--code-line); border-radius: .6rem; font-size: .84rem; line-height: 1.55; tab-size: 2; scrollbar-width: thin; scrollbar-color: var(--code-line) transparent; }
pre.code code { font-size: inherit; }
pre.code i { font-style: normal; }
.code .k { color: #8fd0ff; } .code .s { color: #9be3b4; } .code .n { color: #f4b98a; } .code .w { color: #c9b3ff; } .code .c { color: var(--code-soft); }
.copy { position: absolute; top: .5rem; right: .5rem; font: .75rem var(--sans); color: var(--code-text); background: var(--code-bar); border: 1px solid var(--code-line); border-radius: .35rem; padding: .2rem .55rem; cursor: pointer; opacity: 0; transition: opacity .12s; }
pre.code:hover .copy, pre.code:focus-within .copy, .copy:focus-visible { opacity: 1; }
@media (hover: none) { .copy { opacity: 1; } }
.tabs { display: flex; flex-wrap: wrap; background: var(--code-bar); border: 1px solid var(--code-line); border-radius: .6rem; margin-bottom: 1.25rem; color: var(--code-soft); font-size: .82rem; }
.tabs .bar { margin-right: auto; padding: .55rem 1.1rem; font-weight: 600; color: var(--code-text); }
.tabs input { position: absolute; opacity: 0; pointer-events: none; }
.tabs label { padding: .55rem .8rem; cursor: pointer; border-bottom: 2px solid transparent; }
.tabs label:last-of-type { margin-right: .3rem; }
.tabs input:checked + label { color: var(--code-text); border-bottom-color: #5ccdbf; }
.tabs .panel { display: none; flex-basis: 100%; min-width: 0; }
.tabs .panel pre.code { margin: 0; border-width: 1px 0 0; border-radius: 0 0 .6rem .6rem; }
.tabs input:nth-of-type(1):checked ~ .panel:nth-of-type(2), .tabs input:nth-of-type(2):checked ~ .panel:nth-of-type(3), .tabs input:nth-of-type(3):checked ~ .panel:nth-of-type(4) { display: block; }
.more { border: 1px solid var(--line); border-radius: .6rem; padding: .7rem 1.1rem; font-size: .92rem; }
.more summary { cursor: pointer; color: var(--accent); }
`;
