import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Frame } from '@svc-asr/core';

export interface FrameSocketEvents {
  /**
   * Called with each frame of a stream, and with each `alive` frame. It must not keep the payload, because its memory
   * is reused. If it throws a FrameError, the connection ends.
   */
  onFrame: (frame: Frame) => void;
  /** Called once when the connection has ended, with the reason. */
  onClose: (reason: string) => void;
  /** Called before the collected frames are written. It may send further frames. */
  onFlush?: () => void;
  /** Called when the collected frames were passed to the kernel. */
  onWritten?: () => void;
  /**
   * Called with the reason when the socket was lost. If it returns true, the connection continues without a socket
   * until the owner calls `resume`, `end` or `destroy`. Set it only if the other side can also resume the connection.
   */
  onLost?: (reason: string) => boolean;
}

/** Socket of a connection after an HTTP upgrade. */
export type UpgradedSocket = Duplex & Partial<Pick<Socket, 'setNoDelay' | 'setTimeout'>>;
