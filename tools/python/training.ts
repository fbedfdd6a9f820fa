import { join } from 'node:path';
import { ensurePythonEnvironment } from '../install/python.ts';
import type { PythonEnvironment } from '../install/python.ts';
import { root } from '../launch/terminal.mjs';

/** Folder of the Python tools that train, import and write models. */
export const TRAINING_FOLDER = join(root, 'training');

/** Installs the packages of the training tools. */
export async function setUpTraining(): Promise<PythonEnvironment> {
  return ensurePythonEnvironment(join(TRAINING_FOLDER, 'requirements.lock'), false);
}
