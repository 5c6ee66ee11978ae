// A TCP proxy in front of the ledger that answers slowly for a while, and now and then cuts the connection instead of
// handing over the answer: what was asked is done, and the caller does not hear of it.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How it treats one answer. */
export interface Mood {
  readonly delayMs: number;
  readonly isLost: boolean;
}

/** A running proxy. */
export interface ShakyCable {
  readonly url: string;
  lostAnswers(): number;
  close(): Promise<void>;
}

/** Starts a proxy to this address; asked for its mood at every answer. */
export async function startShakyCable(target: string, moodNow: () => Mood): Promise<ShakyCable> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => {}));
      socket.once('close', () => sockets.delete(socket));
    }
    client.pipe(upstream);
    let turn = Promise.resolve();
    upstream.on('data', (chunk) => {
      const { delayMs, isLost } = moodNow();
      if (isLost) lost += 1;
      turn = turn.then(async () => {
        if (delayMs > 0) await sleep(delayMs);
        if (isLost) client.resetAndDestroy();
        else client.write(chunk);
      });
    });
    upstream.once('close', () => void turn.then(() => client.destroy()));
    client.once('close', () => upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    lostAnswers: () => lost,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
