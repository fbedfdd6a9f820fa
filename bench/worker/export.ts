import { join } from 'node:path';
import { runCommand } from '../../tools/checks/command.ts';
import { logProgress } from '../../tools/launch/terminal.mjs';
import { setUpTraining, TRAINING_FOLDER } from '../../tools/python/training.ts';

/**
 * Exports the Kikuyu checkpoint to a folder, as a user of sherpa-onnx would. Returns the path of the graph for [56,13].
 */
export async function exportModel(folder: string): Promise<string> {
  const { python } = await setUpTraining();
  const args = ['-m', 'export', 'checkpoints/kikuyu.pt', folder];
  if ((await runCommand(python, args, logProgress, { cwd: TRAINING_FOLDER })) !== 0) {
    throw new Error('the export of training/checkpoints/kikuyu.pt failed');
  }
  return join(folder, '56-13.onnx');
}
