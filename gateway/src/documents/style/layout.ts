/** Where things are: contents on the left, text in the middle, code on the right; one column on a phone. */
export const LAYOUT_STYLE = `
* { box-sizing: border-box; }
html { scroll-padding-top: calc(var(--top) + 1rem); -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 9; background: var(--ground); padding: .5rem; }
.top { position: sticky; top: 0; z-index: 5; height: var(--top); display: flex; align-items: center; gap: .75rem; padding: 0 1.5rem; background: var(--ground); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; font-size: 1.1rem; color: var(--text); text-decoration: none; letter-spacing: -.01em; }
.version { font-size: .75rem; color: var(--soft); border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .6rem; }
.links { margin-left: auto; display: flex; gap: 1.25rem; font-size: .9rem; }
.menu-button { display: none; font-size: 1.4rem; line-height: 1; cursor: pointer; padding: .4rem; margin-left: -.4rem; }
.menu-switch { position: absolute; opacity: 0; pointer-events: none; }
nav { position: fixed; top: var(--top); bottom: 0; left: 0; width: 17rem; overflow-y: auto; overscroll-behavior: contain; padding: 1rem 0 2rem; border-right: 1px solid var(--line); background: var(--ground); font-size: .9rem; }
nav .group { padding: .9rem 1.5rem .35rem; font-size: .72rem; font-weight: 700; letter-spacing: .07em; text-transform: uppercase; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: flex; align-items: center; gap: .5rem; padding: .28rem 1.5rem; color: var(--text); text-decoration: none; border-left: 3px solid transparent; }
nav a:hover { background: var(--raised); }
nav a[aria-current] { border-left-color: var(--accent); color: var(--accent); background: var(--accent-ground); }
main { margin-left: 17rem; padding: 0 3rem 6rem; max-width: 88rem; }
section { padding: 2.25rem 0; border-bottom: 1px solid var(--line); }
section:last-child { border-bottom: 0; }
.guide > * { max-width: 50rem; }
.guide > .scroll { max-width: 66rem; }
.split { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 3rem; }
.aside { position: sticky; top: calc(var(--top) + 1rem); align-self: start; max-height: calc(100vh - var(--top) - 2rem); overflow-y: auto; }
nav, .aside { scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
.scroll { overflow-x: auto; }
@media (max-width: 75rem) {
  .split { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .aside { position: static; max-height: none; overflow: visible; }
}
@media (max-width: 56rem) {
  .top { padding: 0 1rem; }
  .menu-button { display: block; }
  nav { width: 100%; border-right: 0; display: none; z-index: 4; }
  nav a { padding-block: .55rem; }
  .menu-switch:checked ~ nav { display: block; }
  main { margin-left: 0; padding: 0 1rem 4rem; }
  section { padding: 1.75rem 0; }
}
@media print { nav, .top, .copy { display: none; } main { margin: 0; } }
`;
