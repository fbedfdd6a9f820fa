/** What the program does: serve streams, or bring the model that another one will serve. */
const [task] = process.argv.slice(2);
if (task === 'fetch-artifact') {
  const { runFetch } = await import('./artifact/run.ts');
  await runFetch();
} else {
  const { run } = await import('./run.ts');
  await run();
}
