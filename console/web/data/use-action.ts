import { useRef, useState } from 'preact/hooks';
import { messageOf } from './api.ts';

/** An action of the user that sends a request. */
export interface Action<Args extends readonly unknown[]> {
  /** Starts the action. Has no effect while the action is already running. */
  readonly run: (...args: Args) => void;
  readonly isRunning: boolean;
  /** Message of the last run if it failed. Empty otherwise. */
  readonly problem: string;
  readonly clear: () => void;
}

/** Wraps an asynchronous action. A second click cannot start it again while it runs, and its failure is shown. */
export function useAction<Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>): Action<Args> {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState('');
  // A state change is visible only after the next render. Two clicks before this render would both find `isRunning`
  // false.
  const started = useRef(false);

  async function start(...args: Args): Promise<void> {
    if (started.current) return;
    started.current = true;
    setRunning(true);
    setProblem('');
    try {
      await act(...args);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      started.current = false;
      setRunning(false);
    }
  }
  return { run: (...args) => void start(...args), isRunning, problem, clear: () => setProblem('') };
}
