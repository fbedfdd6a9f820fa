import { join } from 'node:path';
import { ensurePythonEnvironment } from '../install/python.ts';
import type { PythonEnvironment } from '../install/python.ts';
import { root } from '../launch/terminal.mjs';

/** Tools that train, import and write models. They need packages of their own. */
export const TRAINING_FOLDER = join(root, 'training');

/** Installs the packages of the training tools. */
export async function setUpTraining(): Promise<PythonEnvironment> {
  return ensurePythonEnvironment(join(TRAINING_FOLDER, 'requirements.lock'), false);
}
