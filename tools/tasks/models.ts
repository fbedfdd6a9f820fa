import { join } from 'node:path';
import { onStop, runTask, userPath } from '../launch/terminal.mjs';
import { parseModelsArguments, USAGE } from '../models/arguments.ts';
import { archiveOf, importModel } from '../models/import.ts';
import { formatReport } from '../models/report.ts';

await runTask(async () => {
  const given = parseModelsArguments(process.argv.slice(2));
  if (given === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [source, out] = [userPath(given.source), userPath(given.out)];
  const manifest = given.manifest === undefined ? undefined : userPath(given.manifest);
  const stop = new AbortController();
  const endListening = onStop(() => stop.abort());
  try {
    const report = await importModel({ ...given, source, out, manifest }, { signal: stop.signal });
    const archive = given.url === undefined ? '' : ` Its archive is ${archiveOf(out)}.`;
    const files = `The folder is ${out}. Its resource is ${join(out, 'asrmodel.yaml')}.${archive}`;
    process.stdout.write(`${formatReport(report)}\n${files}\n`);
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('» stopped. Nothing was written\n');
    // process.exit would abort with an error of onnxruntime if an engine is running.
    endListening();
    process.kill(process.pid, 'SIGINT');
    return 1;
  }
});
