// Emulators and console answer under the names of this machine alone: a page elsewhere whose name was pointed at loopback
// still sends its own name, and must neither read nor put anything here. Nor does a page of another origin that calls this
// machine by its right name: dynalite, for one, lets every origin read what it answers.
import { once } from 'node:events';
import type { IncomingHttpHeaders, Server } from 'node:http';

/** True for loopback as a browser or a client of AWS names it, with a port or without. */
export function isOwnHost(host = ''): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|(?:[\w-]+\.)*localhost|\[::1\])(?::\d+)?$/i.test(host);
}

/** True for an address on this machine. */
export const isOwnAddress = (url = ''): boolean => URL.canParse(url) && isOwnHost(new URL(url).host);

/**
 * True for a program, the console's own page, and a person who opens it. Browsers name the asking page's origin in
 * `Origin` (Fetch standard, 3.2), and how near it is in `Sec-Fetch-Site`, which no script can change (Fetch Metadata).
 */
export function isOwnRequest(headers: IncomingHttpHeaders): boolean {
  const { host, origin, 'sec-fetch-site': site = 'none', 'sec-fetch-dest': destination } = headers;
  if (!isOwnHost(host) || (origin !== undefined && origin !== `http://${host}`)) return false;
  return site === 'none' || site === 'same-origin' || destination === 'document';
}

/** The same server, its listeners called for requests of this machine alone ({@link isOwnRequest}); others are answered 403. */
export function ownHostsAlone<S extends Server>(server: S): S {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (isOwnRequest(request.headers)) for (const listener of listeners) listener.call(server, request, response);
    else response.writeHead(403).end();
  });
  return server;
}

/** A running endpoint of this machine. */
export interface OwnEndpoint {
  readonly url: string;
  /** Ends connections that are open, too. */
  close(): Promise<void>;
}

/** Listens on a free loopback port, for requests to this machine alone. */
export async function listenOnLoopback(server: Server): Promise<OwnEndpoint> {
  await once(ownHostsAlone(server).listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
