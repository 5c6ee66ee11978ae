// SHA-256 for the tool's own checks of files.
import { createHash } from 'node:crypto';
import type { Hashing } from './bulk-ports.ts';

/** SHA-256 of texts in UTF-8. */
export const sha256: Hashing = {
  start() {
    const running = createHash('sha256');
    return { add: (text) => void running.update(text), hex: () => running.digest('hex') };
  },
};
