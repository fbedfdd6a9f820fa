/** Vite bundles style sheets that a module imports. */
declare module '*.css';

/** Vite returns the address of a script that runs in a thread of its own. */
declare module '*?worker&url' {
  const url: string;
  export default url;
}
