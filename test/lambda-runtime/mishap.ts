// Loaded before the runtime (NODE_OPTIONS): lets the process come to grief at the worst moment, when the gateway has
// taken an order and its answer is just coming in. The bundle itself is the shipped one.
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

const mishaps: Readonly<Record<string, () => void>> = {
  /** Stops, as a starved or frozen process does. */
  hang: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  throw: () => {
    throw new Error('an exception that is not caught');
  },
  exit: () => process.exit(3),
};

subscribe('http.client.response.finish', (message) => {
  const { request } = message as { readonly request: ClientRequest };
  if (request.path.startsWith('/paynet/')) mishaps[process.env['MISHAP'] ?? '']?.();
});
