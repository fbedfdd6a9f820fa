/** Headings, paragraphs, tables, links. */
export const TEXT_STYLE = `
h1, h2, h3, h4 { line-height: 1.25; letter-spacing: -.012em; margin: 0 0 .75rem; }
h1 { font-size: 2.1rem; }
h2 { font-size: 1.5rem; }
h3 { font-size: 1.02rem; margin-top: 1.9rem; }
h4 { font-size: .92rem; margin-top: 1.4rem; }
h1.part { font-size: .85rem; text-transform: uppercase; letter-spacing: .09em; color: var(--accent); margin: 3.5rem 0 0; padding-bottom: .4rem; border-bottom: 2px solid var(--accent); }
p, ul, ol { margin: 0 0 1rem; }
li { margin-bottom: .4rem; }
ol, ul { padding-left: 1.4rem; }
.lead { font-size: 1.2rem; line-height: 1.55; color: var(--soft); max-width: 46rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:focus-visible, button:focus-visible, summary:focus-visible, pre:focus-visible, input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.menu-switch:focus-visible ~ main { outline: 0; }
code { font-family: var(--mono); font-size: .875em; }
:not(pre) > code { background: var(--raised); border: 1px solid var(--line); border-radius: .3rem; padding: .05em .32em; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: .25rem 0 1rem; }
th { text-align: left; font-size: .75rem; text-transform: uppercase; letter-spacing: .05em; color: var(--soft); }
th, td { padding: .6rem .9rem .6rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
td > code { white-space: nowrap; }
tr > :last-child { padding-right: 0; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.5rem; margin: 1.5rem 0 0; padding: 1rem 1.25rem; background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; max-width: 46rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.facts dd a { margin-right: .9rem; }
figure { margin: 1.5rem 0 0; }
.sequence { display: block; width: 100%; min-width: 38rem; max-width: 50rem; font: 13px var(--sans); background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; }
.sequence text { text-anchor: middle; fill: var(--text); }
.sequence .title { font-weight: 600; fill: var(--accent); }
.sequence .head { fill: var(--accent-ground); stroke: var(--accent); }
.sequence .lane { stroke: var(--line); stroke-width: 2; }
.sequence .call, .sequence .answer { stroke: var(--soft); stroke-width: 1.4; }
.sequence .answer { stroke-dasharray: 5 4; }
.sequence marker path { fill: var(--soft); }
@media (max-width: 56rem) {
  td:first-child, td > code { white-space: normal; }
  .cards thead { display: none; }
  .cards tr { display: block; padding: .7rem 0; border-bottom: 1px solid var(--line); }
  .cards td { display: block; border: 0; padding: .1rem 0 .1rem 6.5rem; position: relative; min-height: 1.6rem; }
  .cards td::before { content: attr(data-label); position: absolute; left: 0; width: 6rem; font-size: .72rem; line-height: 2.1; text-transform: uppercase; letter-spacing: .04em; color: var(--soft); overflow-wrap: normal; }
}
`;
