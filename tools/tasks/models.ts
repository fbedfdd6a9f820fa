import { join } from 'node:path';
import { runTask, userPath } from '../launch/terminal.mjs';
import { parseModelsArguments, USAGE } from '../models/arguments.ts';
import { importModel } from '../models/import.ts';
import { formatReport } from '../models/report.ts';

await runTask(async () => {
  const given = parseModelsArguments(process.argv.slice(2));
  if (given === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [source, out] = [userPath(given.source), userPath(given.out)];
  const manifest = given.manifest === undefined ? undefined : userPath(given.manifest);
  const report = await importModel({ ...given, source, out, manifest });
  process.stdout.write(
    `${formatReport(report)}\nThe folder is ${out}. Its resource is ${join(out, 'asrmodel.yaml')}.\n`,
  );
  return 0;
});
